import StrataModel

/// What is known of a to-many relationship of one object besides its destinations.
final class ToManyDetails {
    /// The destinations in order; kept for ordered relationships only.
    var order: [ObjectID] = []
    var addedToSaved = ObjectIDSet()
    var removedSet = ObjectIDSet()
    /// Whether a save stored destinations that were added or removed while the relationship is not loaded, as far as that is known.
    var known: [ObjectID: Bool] = [:]
    /// Whether the order differs from the saved one other than by additions and removals.
    var isReordered = false
    /// The saved destinations in order, as they were loaded; kept for ordered relationships only.
    var loaded: [ObjectID] = []
    /// The order that was not saved while the relationship is to be loaded, or loaded anew.
    var unsaved: UnsavedOrder?

    func copy() -> ToManyDetails {
        let copy = ToManyDetails()
        copy.order = order
        copy.addedToSaved = addedToSaved
        copy.removedSet = removedSet
        copy.known = known
        copy.isReordered = isReordered
        copy.loaded = loaded
        copy.unsaved = unsaved
        return copy
    }

    /// Has a loaded order that is the saved one be none of its own.
    func settleOrder() { if isReordered && order == loaded { isReordered = false } }

    /// The additions and removals of which it is not known whether a save stored the destination, while the relationship is not loaded.
    var blindChanges: [ObjectID] {
        if addedToSaved.isEmpty && removedSet.isEmpty { return [] }
        return (addedToSaved.ids + removedSet.ids).filter { known[$0] == nil }
    }

    /// Forgets blind additions of saved destinations, and blind removals of others.
    ///
    /// - Returns: The destinations.
    func settleBlindChanges(_ saved: [ObjectID]) -> [ObjectID] {
        let blind = blindChanges
        known = [:]
        if blind.isEmpty { return [] }
        let present = Set(saved)
        let settled = blind.filter { addedToSaved.contains($0) == present.contains($0) }
        addedToSaved.subtract(settled)
        removedSet.subtract(settled)
        return settled
    }

    /// Takes note that new objects got other IDs before they were saved.
    func rename(_ newID: (ObjectID) -> ObjectID) {
        order = order.map(newID)
        loaded = loaded.map(newID)
        unsaved = unsaved.map { UnsavedOrder(loaded: $0.loaded, order: $0.order.map(newID)) }
        addedToSaved.rename(newID)
        removedSet.rename(newID)
        if !known.isEmpty { known = Dictionary(known.map { (newID($0), $1) }) { first, _ in first } }
    }
}
