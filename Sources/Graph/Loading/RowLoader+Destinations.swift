import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    /// The destinations of a to-many relationship as they were saved.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isGone { return [] }
        return try source.destinations(of: relationship, from: object.objectID)
    }

    /// The destinations of a to-many relationship of several saved objects, in one round trip.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from objects: [ManagedObject]) throws -> [[ObjectID]] {
        objects.isEmpty ? [] : try source.destinations(of: relationship, from: objects.map(\.objectID))
    }

    /// The destinations of a to-many relationship of several saved objects, and the rows that came along, in one round trip.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinationsWithRows(
        of relationship: RelationshipDescription, from objects: [ManagedObject]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row]) {
        try source.destinationsWithRows(of: relationship, from: objects.map(\.objectID))
    }

    /// Has a to-many relationship lead to the destinations that were saved, but for those that have left it here: others may have put them there
    /// since.
    func load(_ ids: [ObjectID], of relationship: RelationshipDescription, into owner: ManagedObject) {
        let state = owner.state(relationship)
        let settled = state.load(ids)
        if !settled.isEmpty { settle(settled, of: relationship, in: owner) }
        // An owner that is deleted keeps what it leads to, for an undo, but for those that would keep it.
        if tracker.changed.isEmpty || owner.isDeleted && relationship.deleteRule != .deny { return }
        guard let inverse = owner.managedObjectContext?.model.inverse(of: relationship) else { return }
        for id in ids where state.contains(id) && identity[id]?.hasLeft(owner, inverse) == true {
            tracker.unjournaled { tracker.remove(id, from: relationship, state, of: owner) }
        }
    }

    /// Has the other ends of links forget changes that the store has already; where they are not loaded, they cannot know that themselves.
    private func settle(_ ids: [ObjectID], of relationship: RelationshipDescription, in owner: ManagedObject) {
        guard let inverse = owner.managedObjectContext?.model.inverse(of: relationship), inverse.isToMany else { return }
        for id in ids {
            guard let other = identity[id]?.extra?.toMany(inverse.index), !other.isLoaded else { continue }
            tracker.forgetAddition(of: owner.objectID, to: other)
            tracker.forgetRemoval(of: owner.objectID, from: other)
        }
    }

    /// The destinations of a to-many relationship of an object, which need not be here.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try source.destinations(of: relationship, from: id)
    }
}

extension ManagedObject {
    /// Whether a pending change, or a deletion whose rules were followed, takes a saved object from the members of an owner.
    fileprivate final func hasLeft(_ owner: ManagedObject, _ inverse: RelationshipDescription) -> Bool {
        if !hasChanges || isNew || isGone { return false }
        if isDeleted { return flags.contains(.propagated) && inverse.deleteRule == .nullify }
        guard !inverse.isToMany, let pending = pendingValue(inverse.index) else { return false }
        return pending != .objectID(owner.objectID)
    }
}
