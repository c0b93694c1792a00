import StrataModel

/// What an object is related to at a moment, as far as that is known without asking a store.
struct RelationshipPicture {
    /// The pending changes of a to-many relationship.
    struct Members {
        let added: Set<ObjectID>
        let removed: Set<ObjectID>
        /// The destinations in order, where they are loaded and have one.
        let order: [ObjectID]?

        init(_ state: ToManyState) {
            added = Set(state.added)
            removed = Set(state.removed)
            order = state.isOrdered && state.isLoaded ? state.order : nil
        }
    }

    let object: ManagedObject
    /// The destinations of to-one relationships, by index.
    private(set) var destinations: [Int: ObjectID?] = [:]
    /// The members of to-many relationships, by index.
    private(set) var members: [Int: Members] = [:]

    init(of object: ManagedObject) {
        self.object = object
        for (property, state) in object.toManyStates { members[property] = Members(state) }
        for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isTransient {
            let destination = object.pendingValue(relationship.index) ?? object.storedDestination(relationship)
            destinations[relationship.index] = .some(destination.objectID)
        }
    }

    /// Returns the members that a relationship has at one of two moments, and did not have at the other.
    static func gained(from before: Members?, to after: Members?) -> Set<ObjectID> {
        let (added, removed) = (after?.added ?? [], before?.removed ?? [])
        return added.subtracting(before?.added ?? []).union(removed.subtracting(after?.removed ?? []))
    }
}
