package import StrataModel
import StrataStore

extension ObjectOrigin {
    /// Returns the origin of an object that is made without a context; see `ManagedObject.beginWithoutContext()`.
    package static func unattached(_ entity: EntityDescription) -> ObjectOrigin {
        ObjectOrigin(id: UnattachedEntities.newID(of: entity), context: nil)
    }
}

extension ManagedObjectContext {
    /// Returns the origin of a new object, which ``register(inserted:)`` registers once it is made; throws `StoreError`
    /// with `unknownEntity` when the entity is abstract, or of another model.
    package func originOfNewObject(of entity: EntityDescription) throws -> ObjectOrigin {
        guard model.entities.typedIndices().contains(entity.index), model.entities[entity.index] === entity else {
            throw StoreError(.unknownEntity, .insert, "the entity is of another model", entity: entity.name)
        }
        guard !entity.isAbstract else { throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name) }
        return ObjectOrigin(id: identity.temporaryID(for: entity), context: self)
    }

    /// Records the error of an accessor of a module with other names, which could not read a value, or not set it.
    package func noteFailedAccess(_ error: any Error, of object: ManagedObject, _ key: String, isRead: Bool) {
        failedAccesses.add(error, of: object, key, isAnswered: isRead)
    }
}
