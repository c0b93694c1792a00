import StrataModel

/// The relationships of an object at a moment, as far as known without a store.
struct RelationshipPicture {
    let object: ManagedObject
    private(set) var destinations: [Int: ObjectID?] = [:]
    private(set) var members: [Int: ToManyState.Changes] = [:]

    init(of object: ManagedObject) {
        self.object = object
        for (property, state) in object.toManyStates { members[property] = ToManyState.Changes(state) }
        for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isTransient {
            let destination = object.pendingValue(relationship.index) ?? object.storedDestination(relationship)
            destinations[relationship.index] = .some(destination.objectID)
        }
    }

    /// Returns the members that a relationship has at one moment only.
    static func gained(from before: ToManyState.Changes?, to after: ToManyState.Changes?) -> Set<ObjectID> {
        let (added, removed) = (Set(after?.added ?? []), Set(before?.removed ?? []))
        return added.subtracting(before?.added ?? []).union(removed.subtracting(after?.removed ?? []))
    }
}
