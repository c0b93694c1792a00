import StrataModel
import StrataStore

/// What a context is about to save: a value to look at before it is carried out.
///
/// Rows of new objects, and references to them, carry temporary references, which are negative; the coordinator replaces them.
public struct SavePlan: Sendable {
    /// The changes, by the UUID of their store.
    public var changes: [String: ChangeSet] = [:]

    /// Nothing to save.
    public init() {}

    /// Whether there is nothing to save.
    public var isEmpty: Bool { changes.values.allSatisfy(\.isEmpty) }
}

/// What became of a plan.
public struct SaveOutcome: Sendable {
    /// The new rows of each store, in the plan's order.
    public var inserted: [String: [Row]]
    /// The changed rows of each store, in the plan's order.
    public var updated: [String: [Row]]

    /// An outcome.
    public init(inserted: [String: [Row]] = [:], updated: [String: [Row]] = [:]) {
        self.inserted = inserted
        self.updated = updated
    }
}

/// Someone else's save stands against this one; nothing was saved.
public struct SaveConflictError: Error, Sendable, CustomStringConvertible {
    /// What stands against one object.
    public struct Conflict: Sendable {
        /// The object.
        public let objectID: ObjectID
        /// What stands against it.
        public let reason: StoreConflict.Reason
        /// The other objects that it is about: the destination that is missing, or those that lead to an object that is deleted.
        public let relatedIDs: [ObjectID]

        init(objectID: ObjectID, reason: StoreConflict.Reason, relatedIDs: [ObjectID] = []) {
            self.objectID = objectID
            self.reason = reason
            self.relatedIDs = relatedIDs
        }
    }

    /// All conflicts, at least one.
    public let conflicts: [Conflict]

    /// 133021 where a uniqueness constraint is among the reasons, else 133020, Core Data's codes.
    public var cocoaCode: Int {
        conflicts.contains { if case .constraint = $0.reason { true } else { false } } ? 133021 : 133020
    }

    public var description: String {
        "the save conflicts: "
            + conflicts.map { conflict in
                switch conflict.reason {
                case .changed(let row): "\(conflict.objectID) was changed by someone else (version \(row.version) now)"
                case .deleted: "\(conflict.objectID) was deleted by someone else"
                case .constraint(let names, let other):
                    "\(conflict.objectID) has the same \(names.joined(separator: ", ")) as the object with reference \(other)"
                case .missingDestination(let relationship, _):
                    "\(conflict.objectID) has \(conflict.list) as its \(relationship.label), which is not in the store any more"
                case .referenced(let relationship, _):
                    "\(conflict.objectID) is deleted, and is the \(relationship.label) of \(conflict.list) in the store"
                }
            }.joined(separator: "; ")
    }
}

extension SaveConflictError.Conflict {
    /// The other objects, the first few.
    fileprivate var list: String {
        let rest = relatedIDs.count - 10
        return relatedIDs.prefix(10).map(\.description).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension RelationshipDescription {
    /// A name that an application knows.
    fileprivate var label: String { isHidden ? declaration.inverse ?? name : name }
}
