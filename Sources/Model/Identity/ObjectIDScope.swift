/// The part that the IDs of one store and one entity have in common.
///
/// There is one scope per entity and store in the process, and it is never deallocated: an ID holds it without a
/// reference count, and may outlive its context, coordinator and model. The scope keeps its entity alive.
@safe public struct ObjectIDScope: @unchecked Sendable {
    // Unchecked: the contents never change.
    @usableFromInline let contents: UnsafePointer<Contents>

    @usableFromInline
    struct Contents {
        @usableFromInline let storeID: StoreID
        @usableFromInline let entity: EntityDescription
        @usableFromInline let isTemporary: Bool
        @usableFromInline let hierarchyHash: Int
        @usableFromInline let entityIndex: EntityIndex
        @usableFromInline let entitySerial: UInt32

        init(_ storeID: StoreID?, _ entity: EntityDescription) {
            self.storeID = storeID ?? ""
            self.entity = entity
            isTemporary = storeID == nil
            entityIndex = entity.index
            entitySerial = entity.serial
            var hasher = Hasher()
            hasher.combine(self.storeID)
            hasher.combine(entity.rootName)
            hierarchyHash = hasher.finalize()
        }
    }

    /// Finds the scope of one entity in one store, or creates it; without a store, that of temporary IDs.
    ///
    /// - Complexity: O(1); it waits for other threads that ask for scopes of the entity.
    public init(storeID: StoreID?, entity: EntityDescription) {
        self = entity.idScopes.scope(storeID) {
            let contents = UnsafeMutablePointer<Contents>.allocate(capacity: 1)
            unsafe contents.initialize(to: Contents(storeID, entity))
            return unsafe ObjectIDScope(contents: UnsafePointer(contents))
        }
    }

    private init(contents: UnsafePointer<Contents>) { unsafe self.contents = unsafe contents }

    /// The ID of the store; empty for temporary IDs.
    @inlinable public var storeID: StoreID { unsafe contents.pointee.storeID }
    /// The entity that all these IDs are of.
    @inlinable public var entity: EntityDescription { unsafe contents.pointee.entity }
    /// The index of the entity in its model.
    @inlinable public var entityIndex: EntityIndex { unsafe contents.pointee.entityIndex }
    /// Whether the IDs are temporary.
    @inlinable public var isTemporary: Bool { unsafe contents.pointee.isTemporary }
    /// A hash of the store and the entity's root.
    @inlinable public var hierarchyHash: Int { unsafe contents.pointee.hierarchyHash }
    /// The entity's serial number, for caches that need nothing else of it.
    @inlinable public var entitySerial: UInt32 { unsafe contents.pointee.entitySerial }

    @usableFromInline
    func namesSameRows(as other: ObjectIDScope) -> Bool {
        hierarchyHash == other.hierarchyHash && isTemporary == other.isTemporary && storeID == other.storeID
            && entity.rootName == other.entity.rootName
    }
}

/// Two scopes are equal if they are of one store and one entity of one model.
extension ObjectIDScope: Hashable {
    @inlinable
    public static func == (lhs: ObjectIDScope, rhs: ObjectIDScope) -> Bool { unsafe lhs.contents == rhs.contents }

    @inlinable
    public func hash(into hasher: inout Hasher) { unsafe hasher.combine(contents) }
}
