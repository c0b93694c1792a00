public import StrataModel
public import StrataStore

/// A save that conflicts with one of another context or process; nothing was saved.
public struct SaveConflictError: Error, Sendable, CustomStringConvertible {
    /// What stands against one object.
    public struct Conflict: Sendable {
        /// The object that was to be saved; a temporary ID where it is new.
        public let objectID: ObjectID
        /// What stands against it.
        public let reason: StoreConflict.Reason
        /// The object that has the values which a constraint keeps unique; `nil` for other reasons.
        ///
        /// Where the constraint is declared by an ancestor, the ID names the root of the entities.
        public let otherID: ObjectID?
        /// The values that a constraint keeps unique, by the name of the attribute; none for other reasons.
        public let values: [String: Value]
        /// The other objects concerned: the destination that is missing, or those that reference an object that is
        /// deleted.
        public let relatedIDs: [ObjectID]

        // What a context tells of its object; a coordinator that is asked itself knows of none.

        /// The values that were to be saved, by name of attribute, of a composite one by the paths of its elements,
        /// and, as IDs, of to-one relationship; those of an object that is deleted as they were.
        public package(set) var objectSnapshot: [String: Value] = [:]
        /// The values with which the context had read the object, which its changes were made upon; `nil` for a new
        /// one.
        public package(set) var cachedSnapshot: [String: Value]?
        /// The values that stand against it: of the object as it is in its store now, or of the one with the values
        /// that a constraint keeps unique, as it is there or, where it is not saved either, here; `nil` where there is
        /// none any more.
        public package(set) var persistedSnapshot: [String: Value]?
        /// The version that the object was read with; 0 for a new one.
        public package(set) var oldVersionNumber: UInt32 = 0
        /// The version that the object has in its store now; 0 where it is deleted, or was never there.
        public package(set) var newVersionNumber: UInt32 = 0
        /// Whether the other object has the values that a constraint keeps unique only in the context, too.
        public package(set) var isWithinContext = false

        package init(
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
        /// The names of the constraint's attributes; `nil` for other reasons.
        var constraint: [String]? { if case .constraint(let names, _) = reason { names } else { nil } }
    }

    /// All conflicts, at least one.
    ///
    /// Where objects were changed or deleted by another context or process, no constraint is among the reasons:
    /// constraints are checked once those conflicts are resolved.
    public let conflicts: [Conflict]

    package init(conflicts: [Conflict]) { self.conflicts = conflicts }

    /// What breaks constraints, each constraint and its values once.
    public var constraintConflicts: [ConstraintConflict] { ConstraintConflict.all(of: conflicts) }

    /// 133021 where a uniqueness constraint is among the reasons, else 133020, Core Data's codes.
    public var cocoaCode: Int { conflicts.contains(where: \.isConstraint) ? 133021 : 133020 }

    public var description: String { "the save conflicts: " + conflicts.listed }
}

extension SaveConflictError.Conflict: CustomStringConvertible {
    public var description: String {
        let name = SaveConflictError.Conflict.name(objectID)
        switch reason {
        case .changed(let row): return "\(name) was changed by another context or process (version \(row.version) now)"
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

    /// The other objects, the first few.
    private var list: String {
        let rest = relatedIDs.count - 10
        return relatedIDs.prefix(10).map(SaveConflictError.Conflict.name).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Returns the URI; a new object, whose URI tells nobody anything, by its entity and its number among the new ones.
    private static func name(_ id: ObjectID) -> String {
        id.isTemporary ? "<\(id.entity.name) new #\(id.reference &- Int64.min)>" : id.uriRepresentation
    }
}

extension RelationshipDescription {
    /// A name that an application knows.
    fileprivate var label: String { isHidden ? declaration.inverse ?? name : name }
}

/// Finds the values of the changes that met a constraint.
struct ConflictDescriber {
    private let changes: ChangeSet
    private let model: ManagedObjectModel

    init(_ changes: ChangeSet, _ model: ManagedObjectModel) {
        self.changes = changes
        self.model = model
    }

    /// Returns the values that a constraint keeps unique, by the name of the attribute; none for other conflicts.
    ///
    /// - Complexity: O(n) in the changes.
    func values(of conflict: StoreConflict) -> [String: Value] {
        guard case .constraint(let names, _) = conflict.reason else { return [:] }
        let root = model.entities[conflict.entity].root
        func isIt(_ row: Row) -> Bool { row.reference == conflict.reference && model.entities[row.entityIndex].root == root }
        guard let row = changes.inserted.first(where: isIt) ?? changes.updated.lazy.map(\.row).first(where: isIt) else { return [:] }
        var values: [String: Value] = [:]
        for name in names {
            guard let attribute = model.entities[row.entityIndex].attribute(named: name), let slot = attribute.slot else { continue }
            values[name] = row.value(slot, attribute.slotKind)
        }
        return values
    }
}
