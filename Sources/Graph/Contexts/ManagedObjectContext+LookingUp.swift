import StrataCoordinator
public import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// Returns the object with an ID that is registered here, or `nil`.
    ///
    /// No round trip, but a child of a child may have to ask its parent for the current IDs of its objects.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        if let object = identity[id] { return object }
        guard !id.isTemporary, let parent else { return nil }
        // The object may have got its permanent ID by a save of another context.
        parent.learnIDs()
        return identity[id]
    }

    /// Returns the object with an ID, whether it exists in the store or not: a fault where it is not registered.
    ///
    /// No round trip, but as for ``registeredObject(for:)``.
    public func object(with id: ObjectID) -> ManagedObject { registeredObject(for: id) ?? fault(with: id) }

    /// Returns the object with a current ID; a fault where it is not registered.
    func fault(with id: ObjectID) -> ManagedObject { identity.object(with: id, for: self) }

    /// Returns the registered object with a current ID.
    func registered(_ id: ObjectID) -> ManagedObject? { identity[id] }

    /// Returns the object with an ID, read from the store where it is not here.
    ///
    /// - Throws: `StoreError` with `notFound` when there is none; what the store throws.
    public func existingObject(with id: ObjectID) throws -> ManagedObject {
        assertQueue()
        if let object = registeredObject(for: id), object.row != nil || object.isNew {
            failedAccesses.didReadRow(of: object)
            if !object.isDeleted { return object }
        } else if let row = try loader.savedRow(of: id) {
            return try loader.object(of: row, try loader.scopes(of: id), for: self)
        }
        throw StoreError(.notFound, .lookUp, "there is no object \(id)", entity: id.entity.name)
    }

    /// Returns the object of a class with an ID, read from the store where it is not here.
    ///
    /// - Throws: As ``existingObject(with:)``; `StoreError` with `unknownEntity` for an object of another class.
    public func existingObject<T: ManagedObject>(with id: ObjectID, as type: T.Type) throws -> T {
        let object = try existingObject(with: id)
        guard let typed = object as? T else { throw wrongClass(object, T.self) }
        return typed
    }

    /// Returns the objects with some IDs, fetching the missing ones at once; those that do not exist are left out.
    ///
    /// - Throws: What a store throws.
    public func existingObjects(with ids: [ObjectID]) throws -> [ManagedObject] {
        assertQueue()
        let objects = ids.map { object(with: $0) }
        try loader.loadRows(of: objects)
        for object in objects where object.flags.contains(.unreadable) && object.row != nil { failedAccesses.didReadRow(of: object) }
        return objects.filter { !$0.isDeleted && ($0.row != nil || $0.isNew) }
    }

    /// The objects registered here.
    public var registeredObjects: Set<ManagedObject> { Set(identity.all) }
    /// The objects that the next save inserts.
    public var insertedObjects: Set<ManagedObject> { Set(tracker.changed.filter(\.isInserted)) }
    /// The changed objects that were saved before.
    public var updatedObjects: Set<ManagedObject> { Set(tracker.changed.filter(\.isUpdated)) }
    /// The objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> { Set(tracker.changed.filter { $0.isDeleted && !$0.isNew }) }
    /// Whether there is anything to save.
    public var hasChanges: Bool { tracker.list.contains { $0.hasChanges && !$0.isForgotten } }

    /// Returns the ID of a reference, permanent or temporary, in a hierarchy.
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
