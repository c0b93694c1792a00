import StrataModel

// Orders that are made of others.

extension ToManyState {
    /// The order here, with the saved one that it was made of; `nil` where one of them is not known.
    var unsavedOrder: UnsavedOrder? {
        if isLoaded { return UnsavedOrder(loaded: savedOrder, order: order) }
        guard let unsaved, added.allSatisfy(isPlaced) else { return nil }
        return UnsavedOrder(loaded: unsaved.loaded, order: unsaved.order.filter { !isRemoved($0) })
    }

    /// Whether a child's order can be kept until the relationship is loaded: there is an order to which it applies, or nothing is changed here.
    var canKeepOrder: Bool {
        if isLoaded || isNew { return false }
        return unsaved != nil || added.isEmpty && removed.isEmpty
    }

    /// The destinations of an ordered relationship, those of some IDs that are there before the others.
    func order(beginningWith ids: [ObjectID]) -> [ObjectID] {
        let present = Set(order)
        let first = ids.filter(present.contains)
        let placed = Set(first)
        return first + order.filter { !placed.contains($0) }
    }
}
