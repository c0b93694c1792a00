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

    /// Records the error of an accessor of a module with other names, which could not read a value, or not set it.
    package func noteFailedAccess(_ error: any Error, of object: ManagedObject, _ key: String, isRead: Bool) {
        failedAccesses.add(error, of: object, key, isAnswered: isRead)
    }
}
