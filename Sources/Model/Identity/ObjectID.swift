/// Identifies a managed object: its store, its entity, and a 64-bit reference within the entity hierarchy.
///
/// A new object has a temporary ID until its first save, or until the context obtains a permanent one. Two IDs of one
/// row are equal, even if one has an ancestor of the row's own entity. An ID is a value: send it to any thread.
public struct ObjectID: Sendable {
    /// What the IDs of one store and entity share.
    public let scope: ObjectIDScope
    /// The key of the object's row in the entity hierarchy; negative, and ascending from the least, if temporary.
    public let reference: Int64

    /// Creates an ID of a row; stores make them, applications receive them.
    @inlinable
    public init(scope: ObjectIDScope, reference: Int64) {
        self.scope = scope
        self.reference = reference
    }

    /// The entity that the ID was made with: the object's own, or an ancestor of it.
    public var entity: EntityDescription { scope.entity }

    /// Whether the ID is temporary.
    ///
    /// It does not depend on whether the object was saved: a new one may have a permanent ID.
    public var isTemporary: Bool { scope.isTemporary }

    /// The ID of the object's store, `nil` in temporary IDs.
    public var storeID: StoreID? { scope.isTemporary ? nil : scope.storeID }

    /// The ID in Core Data's spelling: `x-coredata://<store UUID>/<Entity>/p<reference>`; `t` for `p` if temporary.
    public var uriRepresentation: String {
        if isTemporary { return "x-coredata:///\(PercentEncoding.encode(entity.name))/t\(reference - Int64.min)" }
        return "x-coredata://\(scope.storeID)/\(PercentEncoding.encode(entity.name))/p\(reference)"
    }
}

extension ObjectID: Hashable {
    @inlinable
    public static func == (lhs: ObjectID, rhs: ObjectID) -> Bool {
        lhs.reference == rhs.reference && (lhs.scope === rhs.scope || lhs.scope.namesSameRows(as: rhs.scope))
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reference)
        hasher.combine(scope.hierarchyHash)
    }
}

extension ObjectID: Identifiable, CustomStringConvertible {
    /// The ID itself, so that lists of IDs and lists of what has one are used alike.
    public var id: ObjectID { self }

    public var description: String { uriRepresentation }
}

/// What all IDs of one store and one entity share.
public final class ObjectIDScope: Sendable {
    /// The ID of the store; empty for temporary IDs.
    public let storeID: StoreID
    /// The entity that all these IDs are of.
    public let entity: EntityDescription
    /// Whether the IDs are temporary.
    public let isTemporary: Bool
    /// A hash of the store and the entity's root.
    public let hierarchyHash: Int
    /// The entity's serial number, for caches that need nothing else of it.
    public let entitySerial: UInt32

    /// Creates a scope of one entity in one store; a temporary one without a store.
    public init(storeID: StoreID?, entity: EntityDescription) {
        self.storeID = storeID ?? ""
        self.entity = entity
        isTemporary = storeID == nil
        entitySerial = entity.serial
        var hasher = Hasher()
        hasher.combine(self.storeID)
        hasher.combine(entity.rootName)
        hierarchyHash = hasher.finalize()
    }

    @usableFromInline
    func namesSameRows(as other: ObjectIDScope) -> Bool {
        hierarchyHash == other.hierarchyHash && isTemporary == other.isTemporary && storeID == other.storeID
            && entity.rootName == other.entity.rootName
    }
}

/// The scopes of all entities of a model in one store.
public struct ObjectIDScopes: Sendable {
    @usableFromInline let scopes: [ObjectIDScope]

    /// Creates the scopes of a store, or of objects without one where `storeID` is `nil`.
    public init(model: ManagedObjectModel, storeID: StoreID?) {
        scopes = model.entities.map { ObjectIDScope(storeID: storeID, entity: $0) }
    }

    /// The indexes of the entities in the model.
    @inlinable public var entityIndices: Range<EntityIndex> { scopes.typedIndices() }

    /// The scope of the entity with an index in the model.
    @inlinable
    public subscript(entityIndex: EntityIndex) -> ObjectIDScope { scopes[entityIndex] }

    /// Returns the ID of a row.
    @inlinable
    public func id(of row: Row) -> ObjectID { ObjectID(scope: scopes[row.entityIndex], reference: row.reference) }
}
