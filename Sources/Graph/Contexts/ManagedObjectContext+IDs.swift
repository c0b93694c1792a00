import StrataCoordinator
import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// Returns the ID of a reference, permanent or temporary, in a tree.
    func id(root: EntityIndex, reference: Int64, storeID: StoreID) throws -> ObjectID {
        if reference < 0 { return identity.temporaryID(root, reference) }
        return ObjectID(scope: try loader.scopes(ofStore: storeID)[root], reference: reference)
    }

    /// Returns the ID of a reference found in a row of another object's store; `nil` where the model lacks the entity.
    ///
    /// - Throws: `StoreError` with `noStore` where the store was removed.
    func id(_ reference: Int64, _ entity: EntityIndex, near other: ObjectID) throws -> ObjectID? {
        guard model.entities.typedIndices().contains(entity) else { return nil }
        if reference < 0 { return identity.temporaryID(entity, reference) }
        return ObjectID(scope: try loader.scopes(ofStore: targetStoreID(of: other))[entity], reference: reference)
    }

    /// Returns the ID of the store that an object is in or is assigned to, which may differ from its entity's; throws
    /// `StoreError` with `noStore`.
    func targetStoreID(of id: ObjectID) throws -> StoreID {
        if let storeID = id.storeID { return storeID }
        return try registered(id).map { try targetStoreID(of: $0) } ?? source.storeID(of: id)
    }

    /// Returns the ID of the store that an object is in or will be saved to; throws `StoreError` with `noStore`.
    func targetStoreID(of object: ManagedObject) throws -> StoreID {
        if let storeID = object.objectID.storeID { return storeID }
        if !object.isNew { return try source.storeID(of: object.objectID) }
        return try tracker.assignedStoreID(of: object) ?? source.storeForNewObjects(of: object.entity)
    }
}
