public import StrataModel
public import StrataStore

/// A save that conflicts with one of another context or process; nothing was saved.
public struct SaveConflictError: Error, Sendable, CustomStringConvertible {
    /// The conflict of one object.
    public struct Conflict: Sendable {
        /// The object to be saved; a temporary ID where it is new.
        public let objectID: ObjectID
        /// The kind of conflict.
        public let reason: StoreConflict.Reason
        /// The object with the same unique values; `nil` for other reasons.
        ///
        /// Where the constraint is declared by an ancestor, the ID names the root of the entities.
        public let otherID: ObjectID?
        /// The unique values, by the name of the attribute; none for other reasons.
        public let values: [String: Value]
        /// The other objects concerned: the missing destination, or those that reference a deleted object.
        public let relatedIDs: [ObjectID]

        // Set by the context; empty without one.

        /// The values to be saved, by name: attributes, elements of composite ones by path, and the IDs of to-one
        /// destinations; of a deleted object its former ones.
        public package(set) var objectSnapshot: [String: Value] = [:]
        /// The values with which the context had read the object, on which its changes are based; `nil` for a new one.
        public package(set) var cachedSnapshot: [String: Value]?
        /// The conflicting values: of the object in its store, or of the other one with the unique values, saved or
        /// not; `nil` where there is none any more.
        public package(set) var persistedSnapshot: [String: Value]?
        /// The version that the object was read with; 0 for a new one.
        public package(set) var oldVersionNumber: UInt32 = 0
        /// The object's current version in its store; 0 where it is missing.
        public package(set) var newVersionNumber: UInt32 = 0
        /// Whether the other object with the unique values is only in the context, too.
        public package(set) var isWithinContext = false

        /// Creates a conflict of an object.
        public init(
            objectID: ObjectID, reason: StoreConflict.Reason, otherID: ObjectID? = nil, values: [String: Value] = [:],
            relatedIDs: [ObjectID] = []
        ) {
            self.objectID = objectID
            self.reason = reason
            self.otherID = otherID
            self.values = values
            self.relatedIDs = relatedIDs
        }

        var isConstraint: Bool { constraint != nil }
        var constraint: [String]? { if case .constraint(let names, _) = reason { names } else { nil } }
    }

    /// All conflicts, at least one.
    ///
    /// Where objects were changed or deleted by another context or process, no constraint is among the reasons:
    /// constraints are checked once those conflicts are resolved.
    public let conflicts: [Conflict]

    /// Creates an error of at least one conflict.
    public init(conflicts: [Conflict]) { self.conflicts = conflicts }

    /// The constraint conflicts, grouped by constraint and values.
    public var constraintConflicts: [ConstraintConflict] { ConstraintConflict.all(of: conflicts) }

    /// 133021 where a uniqueness constraint is among the reasons, else 133020, Core Data's codes.
    public var cocoaCode: Int { conflicts.contains(where: \.isConstraint) ? 133021 : 133020 }

    public var description: String { "the save conflicts: " + conflicts.listed }
}

extension SaveConflictError.Conflict: CustomStringConvertible {
    public var description: String {
        let name = SaveConflictError.Conflict.name(objectID)
        switch reason {
        case .changed(let row):
            let stale = staleProperties
            let rest = stale.count > 5 ? ["\(stale.count - 5) more"] : []
            return
                (["\(name) was changed by another context or process (version \(row.version) now)"] + stale.prefix(5).map(\.description)
                + rest)
                .joined(separator: "; ")
        case .deleted: return "\(name) was deleted by another context or process"
        case .constraint(let names, let other):
            let same = names.map { key in values[key].map { "\(key) = \($0.excerpt)" } ?? key }.joined(separator: ", ")
            return "\(name) has the same \(same) as \(otherID.map(SaveConflictError.Conflict.name) ?? "the object with reference \(other)")"
        case .missingDestination(let relationship, _):
            return "\(name) has \(list) as its \(relationship.label), which is not in the store any more"
        case .referenced(let relationship, _):
            return "\(name) is deleted, and is the \(relationship.label) of \(list) in the store"
        }
    }

    private var list: String {
        let rest = relatedIDs.count - 10
        return relatedIDs.prefix(10).map(SaveConflictError.Conflict.name).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Returns the URI; for a new object, whose URI is meaningless, its entity and its number among the new ones.
    private static func name(_ id: ObjectID) -> String {
        id.isTemporary ? "<\(id.entity.name) new #\(id.reference &- Int64.min)>" : id.uriRepresentation
    }
}

extension RelationshipDescription {
    /// The name for messages.
    fileprivate var label: String { isHidden ? declaration.inverse ?? name : name }
}

extension ChangeSet {
    /// Returns the unique values of a constraint conflict, by the name of the attribute; none for other conflicts.
    ///
    /// - Complexity: O(n) in the changes.
    func values(of conflict: StoreConflict, _ model: ManagedObjectModel) -> [String: Value] {
        guard case .constraint(let names, _) = conflict.reason else { return [:] }
        let root = model.entities[conflict.entity].root
        func isIt(_ row: Row) -> Bool { row.reference == conflict.reference && model.entities[row.entityIndex].root == root }
        guard let row = inserted.first(where: isIt) ?? updated.lazy.map(\.row).first(where: isIt) else { return [:] }
        return row.values(of: names.compactMap { model.entities[row.entityIndex].attribute(named: $0) })
    }
}
