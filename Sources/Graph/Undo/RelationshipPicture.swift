import StrataModel

/// The relationships of an object at a moment, as far as known without a store.
struct RelationshipPicture {
    struct Members {
        let added: Set<ObjectID>
        let removed: Set<ObjectID>
        /// The destinations in order, where loaded and ordered.
        let order: [ObjectID]?

        init(_ state: ToManyState) {
            added = Set(state.added)
            removed = Set(state.removed)
            order = state.isOrdered && state.isLoaded ? state.order : nil
        }
    }

    let object: ManagedObject
    private(set) var destinations: [Int: ObjectID?] = [:]
    private(set) var members: [Int: Members] = [:]

    init(of object: ManagedObject) {
        self.object = object
        for (property, state) in object.toManyStates { members[property] = Members(state) }
        for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isTransient {
            let destination = object.pendingValue(relationship.index) ?? object.storedDestination(relationship)
            destinations[relationship.index] = .some(destination.objectID)
        }
    }

    /// Returns the members that a relationship has at one moment only.
    static func gained(from before: Members?, to after: Members?) -> Set<ObjectID> {
        let (added, removed) = (after?.added ?? [], before?.removed ?? [])
        return added.subtracting(before?.added ?? []).union(removed.subtracting(after?.removed ?? []))
    }
}
