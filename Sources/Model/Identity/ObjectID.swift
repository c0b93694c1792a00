/// Identifies a managed object: its store, its entity, and a 64-bit reference within the entity hierarchy.
///
/// A new object has a temporary ID until its first save, or until the context obtains a permanent one. Two IDs of one
/// row are equal, even if one has an ancestor of the row's own entity. An ID is a value of two words, without reference
/// counts: send it to any thread, and keep it as long as you like.
public struct ObjectID: Sendable {
    /// The part that the IDs of one store and entity have in common.
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
    @inlinable public var entity: EntityDescription { scope.entity }

    /// Whether the ID is temporary.
    ///
    /// It does not depend on whether the object was saved: a new one may have a permanent ID.
    @inlinable public var isTemporary: Bool { scope.isTemporary }

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
        lhs.reference == rhs.reference && (lhs.scope == rhs.scope || lhs.scope.namesSameRows(as: rhs.scope))
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
