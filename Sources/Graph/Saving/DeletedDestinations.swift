import StrataCoordinator
import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// Has the delete rules of an object that is about to be deleted followed once more, as something was related to it since.
    func followAgain(_ object: ManagedObject) {
        guard object.flags.isSuperset(of: [.deleted, .propagated]), !object.isGone else { return }
        object.flags.remove(.propagated)
        pendingDeletions.append(object)
    }

    /// Clears the pending references to objects that are deleted with them, where no delete rule says anything else.
    ///
    /// - Complexity: O(n) in the changed objects.
    func clearReferencesToDeleted() {
        guard changed.contains(where: \.isDeleted) else { return }
        for object in changed where !object.isDeleted && object.extra?.hasValues == true {
            for property in object.entity.properties {
                guard let relationship = property.relationship, case .toOne = relationship.storage,
                    case .objectID(let id)? = object.extra?.value(property.index), let destination = registeredObject(for: id),
                    destination.isDeleted, !destination.isGone
                else { continue }
                let rule = model.inverse(of: relationship)?.deleteRule ?? .nullify
                // These keep an object, or take the other one with it; neither is so with an object that was never saved.
                if (rule == .deny || rule == .cascade) && !destination.flags.contains(.inserted) { continue }
                object.change(property.index, to: .null)
            }
        }
    }

    /// The destinations of a saved object's relationship as the stores have them now, with the changes made here.
    ///
    /// - Throws: What a store throws.
    func currentDestinations(of object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ObjectID] {
        var ids: Set<ObjectID> = []
        if relationship.isToMany {
            ids = Set(try savedDestinations(of: relationship, from: object))
            if let state = object.extra?.toMany(relationship.index) { ids = ids.subtracting(state.removed).union(state.added) }
        } else if case .objectID(let id) = object.currentValue(.relationship(relationship)) {
            let isThere = try registeredObject(for: id)?.flags.contains(.inserted) == true || coordinator.row(for: id) != nil
            if isThere { ids = [id] }
        }
        return ids.filter { registeredObject(for: $0)?.isDeleted != true }
            .sorted { ($0.isTemporary ? 1 : 0, $0.reference) < ($1.isTemporary ? 1 : 0, $1.reference) }
    }
}

/// Follows the delete rules of a save's deletions to objects that the context did not know to lead there.
struct DeletedDestinations {
    private let context: ManagedObjectContext
    private var failures: [ValidationFailure] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Whether all conflicts of a save are about objects that others still lead to.
    static func areAll(of error: SaveConflictError) -> Bool {
        error.conflicts.allSatisfy { if case .referenced = $0.reason { true } else { false } }
    }

    /// Does to the others what the rule of the deleted object's relationship says.
    ///
    /// No action clears their references as nullify does, and so does a relationship that has no inverse.
    ///
    /// - Parameter relationship: That of the others.
    /// - Throws: What a store throws.
    mutating func follow(_ deleted: ManagedObject, _ relationship: RelationshipDescription, _ others: [ObjectID]) throws {
        let inverse = context.model.inverse(of: relationship)
        if inverse?.deleteRule == .deny { return deny(deleted, inverse?.name, others) }
        for (id, row) in zip(others, try context.coordinator.rows(for: others)) {
            guard let row else { continue }
            let scopes = try context.scopes(of: id)
            let other = context.materialize(row, scopes)
            context.refetched(row, scopes)
            if other.isDeleted { continue }
            if inverse?.deleteRule == .cascade {
                context.delete(other)
            } else if !relationship.isToMany {
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
            "\(destinations.count) destinations stand against the deletion: \(list)\(rest)")
    }
}
