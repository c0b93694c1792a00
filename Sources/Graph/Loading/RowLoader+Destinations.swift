import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    /// Returns the destinations of a to-many relationship as they were saved.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isGone { return [] }
        return try source.destinations(of: relationship, from: object.objectID)
    }

    /// Returns the destinations of a to-many relationship of several saved objects, in one round trip.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from objects: [ManagedObject]) throws -> [[ObjectID]] {
        objects.isEmpty ? [] : try source.destinations(of: relationship, from: objects.map(\.objectID))
    }

    /// Returns the destinations of a to-many relationship of several saved objects, and the rows that came along, in
    /// one round trip.
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
        // An owner that is deleted keeps what it leads to, for an undo, but for those that would keep it.
        let keepsAll = tracker.changed.isEmpty || owner.isDeleted && relationship.deleteRule != .deny
        guard !keepsAll, let inverse = owner.managedObjectContext?.model.inverse(of: relationship) else {
            let settled = state.load(ids)
            if !settled.isEmpty { settle(settled, of: relationship, in: owner) }
            return
        }
        let left = ids.compactMap { id in identity[id].flatMap { $0.hasLeft(owner, inverse) ? $0 : nil } }
        let settled = state.load(ids)
        if !settled.isEmpty { settle(settled, of: relationship, in: owner) }
        for member in left where state.contains(member.objectID) { remove(member, from: relationship, inverse, state, of: owner) }
    }

    /// Removes a member that has left an owner before its destinations were loaded.
    private func remove(
        _ member: ManagedObject, from relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ state: ToManyState,
        of owner: ManagedObject
    ) {
        func remove() { tracker.remove(member.objectID, from: relationship, state, of: owner) }
        if !inverse.isToMany, member.storedDestination(inverse) != .objectID(owner.objectID) {
            // No change of the member knows of this owner, and none gives the member back to it.
            tracker.unjournaled(remove)
            return tracker.noteOlderRow(of: member, relationship, owner)
        }
        guard member.isDeleted else { return tracker.unjournaled(remove) }
        // It comes back to the owner when its deletion is undone, as one that was there all along.
        tracker.asConsequence(of: member, remove)
        if inverse.isToMany {
            tracker.unjournaled { tracker.add(owner.objectID, wasSaved: true, to: inverse, member.state(inverse), of: member) }
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

    /// Returns the destinations of a to-many relationship of an object, which need not be here.
    ///
    /// - Throws: What kept the store from telling.
    func savedDestinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try source.destinations(of: relationship, from: id)
    }
}

extension ManagedObject {
    /// Returns whether a pending change, or a deletion whose rules were followed, takes a saved object from the members
    /// of an owner.
    final func hasLeft(_ owner: ManagedObject, _ inverse: RelationshipDescription) -> Bool {
        if !hasChanges || isNew || isGone { return false }
        if isDeleted { return flags.contains(.propagated) && inverse.deleteRule == .nullify }
        // One that was set to what its row says is where it was.
        return !inverse.isToMany && !keepsDestination(inverse) && pendingValue(inverse.index) != .objectID(owner.objectID)
    }
}
