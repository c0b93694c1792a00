import StrataCoordinator
import StrataModel
import StrataStore

extension RowLoader {
    func savedDestinations(of relationship: RelationshipDescription, from object: ManagedObject) throws -> [ObjectID] {
        if object.isNew || object.isInaccessible { return [] }
        return try source.destinations(of: relationship, from: object.objectID)
    }

    /// Returns the saved destinations of a to-many relationship of several saved objects, in one round trip.
    func savedDestinations(of relationship: RelationshipDescription, from objects: [ManagedObject]) throws -> [[ObjectID]] {
        objects.isEmpty ? [] : try source.destinations(of: relationship, from: objects.map(\.objectID))
    }

    /// Loads a to-many relationship with its saved destinations, without those that were moved or removed here.
    func load(_ ids: [ObjectID], of relationship: RelationshipDescription, into owner: ManagedObject) {
        let state = owner.state(relationship)
        if owner.isDeleted { tracker.dropIndexes() }
        // A deleted owner keeps its destinations for an undo, except those that would deny the deletion.
        let keepsAll = tracker.isUnchanged || owner.isDeleted && relationship.deleteRule != .deny
        let inverse = keepsAll ? nil : owner.managedObjectContext?.model.inverse(of: relationship)
        let left = inverse.map { inverse in Array(ids.lazy.compactMap { self.identity[$0] }.filter { $0.hasLeft(owner, inverse) }) } ?? []
        let settled = state.load(ids)
        if !settled.isEmpty { settle(settled, of: relationship, in: owner) }
        guard let inverse else { return }
        for member in left where state.contains(member.objectID) { remove(member, from: relationship, inverse, state, of: owner) }
    }

    /// Removes a member that left an owner before its destinations were loaded.
    private func remove(
        _ member: ManagedObject, from relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ state: ToManyState,
        of owner: ManagedObject
    ) {
        func remove() { tracker.remove(member.objectID, from: relationship, state, of: owner) }
        if !inverse.isToMany, member.storedDestination(inverse) != .objectID(owner.objectID) {
            // No change of the member concerns this owner, and none restores the member.
            tracker.unjournaled(remove)
            return tracker.noteOlderRow(of: member, relationship, owner)
        }
        guard member.isDeleted else { return tracker.unjournaled(remove) }
        // Undoing its deletion restores it as an unchanged member.
        tracker.asConsequence(of: member, remove)
        if inverse.isToMany {
            tracker.unjournaled { tracker.add(owner.objectID, wasSaved: true, to: inverse, member.state(inverse), of: member) }
        }
    }

    /// Discards changes at the other ends of links that the store has already, where those are not loaded.
    private func settle(_ ids: [ObjectID], of relationship: RelationshipDescription, in owner: ManagedObject) {
        guard let inverse = owner.managedObjectContext?.model.inverse(of: relationship), inverse.isToMany else { return }
        for id in ids {
            guard let other = identity[id]?.extra?.toMany(inverse.index), !other.isLoaded else { continue }
            tracker.forgetAddition(of: owner.objectID, to: other)
            tracker.forgetRemoval(of: owner.objectID, from: other)
        }
    }
}

extension ManagedObject {
    /// Returns whether a pending change or a propagated deletion removes a saved object from an owner's members.
    final func hasLeft(_ owner: ManagedObject, _ inverse: RelationshipDescription) -> Bool {
        if !hasChanges || isNew || isInaccessible { return false }
        if isDeleted { return flags.contains(.propagated) && inverse.deleteRule == .nullify }
        // One that was set to its stored value has not moved.
        return !inverse.isToMany && !keepsDestination(inverse) && pendingValue(inverse.index) != .objectID(owner.objectID)
    }
}
