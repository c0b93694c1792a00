import StrataModel

/// The state of an object's to-many relationship besides its destinations.
final class ToManyDetails {
    // Exclusivity is not checked at run time: an object is on one thread, and no access spans another.
    /// The destinations in order, beside the saved ones as loaded; for ordered relationships only.
    @safe @exclusivity(unchecked) var order = MemberOrder()
    @safe @exclusivity(unchecked) var addedToSaved = ObjectIDSet()
    @safe @exclusivity(unchecked) var removedSet = ObjectIDSet()
    /// Whether a save stored the destinations that were added or removed while unloaded, as far as known.
    @safe @exclusivity(unchecked) var known: [ObjectID: Bool] = [:]
    /// Whether the order differs from the saved one other than by additions and removals.
    @safe @exclusivity(unchecked) var isReordered = false
    /// The greatest key of the links of a loaded relationship, once the context saved keys of all.
    @safe @exclusivity(unchecked) var greatestKey: OrderKey?
    /// The unsaved order of an unloaded relationship, with the saved one that it is based on.
    @safe @exclusivity(unchecked) var unsaved: MemberOrder?

    func copy() -> ToManyDetails {
        let copy = ToManyDetails()
        copy.order = order
        copy.addedToSaved = addedToSaved
        copy.removedSet = removedSet
        copy.known = known
        copy.isReordered = isReordered
        copy.greatestKey = greatestKey
        copy.unsaved = unsaved
        return copy
    }

    /// The index of the first of the added destinations, where they follow the saved ones, which keep their order.
    var firstAppended: Int? {
        let first = order.count - addedToSaved.count
        if isReordered || first < 0 { return nil }
        return (first..<order.count).allSatisfy { addedToSaved.contains(order[$0]) } ? first : nil
    }

    /// Clears the mark of a changed order where it equals the saved one.
    func settleOrder() { if isReordered && order.isAsSaved { isReordered = false } }

    /// The additions and removals while unloaded of which it is unknown whether a save stored the destination.
    var blindChanges: [ObjectID] {
        if addedToSaved.isEmpty && removedSet.isEmpty { return [] }
        return (addedToSaved.ids + removedSet.ids).filter { known[$0] == nil }
    }

    /// Discards blind additions of saved destinations, and blind removals of others; returns the destinations.
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

    func rename(_ newID: (ObjectID) -> ObjectID) {
        order.rename(newID)
        // Only the current order has new objects.
        unsaved = unsaved.map { MemberOrder(saved: $0.saved, current: $0.ids.map(newID)) }
        addedToSaved.rename(newID)
        removedSet.rename(newID)
        if !known.isEmpty { known = Dictionary(known.map { (newID($0), $1) }) { first, _ in first } }
    }
}
