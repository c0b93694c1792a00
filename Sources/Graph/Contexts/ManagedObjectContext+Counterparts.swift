package import StrataModel

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
        try checkInsertable(entity)
        return ObjectOrigin(id: identity.temporaryID(for: entity), context: self)
    }

    /// Records what an accessor of a module with other names could not read.
    package func noteUnread(_ error: any Error, of object: ManagedObject, _ key: String) {
        failedAccesses.add(error, of: object, key, isAnswered: true)
    }

    /// Records what such an accessor could not set.
    package func noteRefused(_ error: any Error, of object: ManagedObject, _ key: String) {
        failedAccesses.add(error, of: object, key, isAnswered: false)
    }
}
