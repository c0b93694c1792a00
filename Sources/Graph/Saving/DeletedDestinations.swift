import StrataCoordinator
import StrataModel
import StrataStore
import StrataText

/// Applies the delete rules of a save's deletions to referencing objects that the context did not know.
struct DeletedDestinations {
    private let context: ManagedObjectContext
    private var failures: [ValidationFailure] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Returns whether all conflicts of a save are about referenced objects.
    static func areAll(of error: SaveConflictError) -> Bool {
        error.conflicts.allSatisfy { if case .referenced = $0.reason { true } else { false } }
    }

    /// Applies the rule of the deleted object's relationship to the others.
    ///
    /// No action clears their references as nullify does, and so does a relationship without an inverse.
    ///
    /// - Parameter relationship: That of the others.
    mutating func follow(_ deleted: ManagedObject, _ relationship: RelationshipDescription, _ others: [ObjectID]) throws {
        let inverse = context.model.inverse(of: relationship)
        if let inverse, inverse.deleteRule == .deny { return failures.append(ValidationFailure(denying: deleted, inverse.name, others)) }
        for (id, row) in zip(others, try context.loader.savedRows(of: others)) {
            guard let row else { continue }
            let scopes = try context.loader.scopes(of: id)
            let other = try context.loader.object(of: row, scopes, for: context)
            try context.refetched(row, scopes)
            if other.isDeleted { continue }
            if inverse?.deleteRule == .cascade {
                // Undoing the deletion restores the objects of its cascade, too.
                context.tracker.asConsequence(of: deleted) { context.delete(other) }
            } else if !relationship.isToMany {
                context.tracker.journal?.willDetach(deleted, from: other, relationship)
                try context.detach(deleted.objectID, from: other.objectID, relationship)
            }
        }
    }

    /// - Throws: ``ValidationError`` with the deletions that a rule denies.
    func finish() throws { if !failures.isEmpty { throw ValidationError(failures: failures) } }
}

extension ValidationFailure {
    init(denying object: ManagedObject, _ key: String?, _ destinations: [ObjectID]) {
        let list = destinations.prefix(10).map(\.description).joined(separator: ", ")
        let rest = destinations.count > 10 ? " and \(destinations.count - 10) more" : ""
        self.init(
            .relationshipDeniedDelete, object, key: key, value: .int(Int64(destinations.count)),
            message: "the deletion is denied by \(destinations.count.counted("destination")): \(list)\(rest)")
    }
}
