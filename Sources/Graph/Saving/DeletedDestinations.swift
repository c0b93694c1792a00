import StrataCoordinator
import StrataModel
import StrataStore
import StrataText

/// Follows the delete rules of a save's deletions to objects that the context did not know to lead there.
struct DeletedDestinations {
    private let context: ManagedObjectContext
    private var failures: [ValidationFailure] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Returns whether all conflicts of a save are about objects that others still lead to.
    static func areAll(of error: SaveConflictError) -> Bool {
        error.conflicts.allSatisfy { if case .referenced = $0.reason { true } else { false } }
    }

    /// Does to the others what the rule of the deleted object's relationship says.
    ///
    /// No action clears their references as nullify does, and so does a relationship that has no inverse.
    ///
    /// - Parameter relationship: That of the others.
    mutating func follow(_ deleted: ManagedObject, _ relationship: RelationshipDescription, _ others: [ObjectID]) throws {
        let inverse = context.model.inverse(of: relationship)
        if inverse?.deleteRule == .deny { return deny(deleted, inverse?.name, others) }
        for (id, row) in zip(others, try context.loader.savedRows(of: others)) {
            guard let row else { continue }
            let scopes = try context.loader.scopes(of: id)
            let other = try context.loader.object(of: row, scopes, for: context)
            try context.refetched(row, scopes)
            if other.isDeleted { continue }
            if inverse?.deleteRule == .cascade {
                // Who takes the deletion back wants those that it took along, too.
                context.tracker.asConsequence(of: deleted) { context.delete(other) }
            } else if !relationship.isToMany {
                context.tracker.journal?.willDetach(deleted, from: other, relationship)
                try context.detach(deleted.objectID, from: other.objectID, relationship)
            }
        }
    }

    private mutating func deny(_ deleted: ManagedObject, _ key: String?, _ others: [ObjectID]) {
        failures.append(ValidationFailure(denying: deleted, key, others))
    }

    /// - Throws: ``ValidationError`` with the deletions that a rule denies.
    func finish() throws {
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }
}

extension ValidationFailure {
    /// What stands against a deletion.
    init(denying object: ManagedObject, _ key: String?, _ destinations: [ObjectID]) {
        let list = destinations.prefix(10).map(\.description).joined(separator: ", ")
        let rest = destinations.count > 10 ? " and \(destinations.count - 10) more" : ""
        self.init(
            .relationshipDeniedDelete, object, key: key, value: .int(Int64(destinations.count)),
            "the deletion is denied by \(destinations.count.counted("destination")): \(list)\(rest)")
    }
}
