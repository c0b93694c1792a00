/// The scopes of all entities of a model in one store.
///
/// They are never deallocated, as the scopes are not.
@safe public struct ObjectIDScopes: @unchecked Sendable {
    // Unchecked: the scopes never change.
    @usableFromInline let scopes: UnsafeBufferPointer<ObjectIDScope>

    /// Finds the scopes of a store, or creates them; those of objects without one where `storeID` is `nil`.
    public init(model: ManagedObjectModel, storeID: StoreID?) {
        guard let first = model.entities.first else {
            unsafe scopes = UnsafeBufferPointer(start: nil, count: 0)
            return
        }
        self = first.idScopes.scopes(storeID) {
            let scopes = UnsafeMutableBufferPointer<ObjectIDScope>.allocate(capacity: model.entities.count)
            _ = unsafe scopes.initialize(fromContentsOf: model.entities.map { ObjectIDScope(storeID: storeID, entity: $0) })
            return unsafe ObjectIDScopes(scopes: UnsafeBufferPointer(scopes))
        }
    }

    private init(scopes: UnsafeBufferPointer<ObjectIDScope>) { unsafe self.scopes = unsafe scopes }

    /// The indexes of the entities in the model.
    @inlinable public var entityIndices: Range<EntityIndex> { unsafe EntityIndex(rawValue: 0)..<EntityIndex(rawValue: scopes.count) }

    /// The scope of the entity with an index in the model.
    ///
    /// - Precondition: The model has such an entity.
    @inlinable
    public subscript(entityIndex: EntityIndex) -> ObjectIDScope {
        unsafe precondition(scopes.indices.contains(entityIndex.rawValue), "no such entity")
        return unsafe scopes[entityIndex.rawValue]
    }

    /// Returns the ID of a row.
    @inlinable
    public func id(of row: Row) -> ObjectID { ObjectID(scope: self[row.entityIndex], reference: row.reference) }
}
