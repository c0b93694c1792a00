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

    /// Returns the destinations of an ordered relationship, those of some IDs that are there before the others.
    func order(beginningWith ids: [ObjectID]) -> [ObjectID] {
        let present = Set(order)
        let first = ids.filter(present.contains)
        let placed = Set(first)
        return first + order.filter { !placed.contains($0) }
    }

    /// Returns the destinations in order, some of them where they stood when they were loaded: each behind what it
    /// stood behind.
    func order(restoring ids: Set<ObjectID>) -> [ObjectID] {
        let present = Set(order)
        return savedOrder.filter { ids.contains($0) && present.contains($0) }.reduce(into: order) { order, id in
            order.removeAll { $0 == id }
            Self.insert(id, into: &order, asIn: savedOrder, present.contains)
        }
    }

    /// Inserts a destination behind the last one that it stood behind.
    static func insert(
        _ id: ObjectID, into order: inout [ObjectID], asIn saved: [ObjectID], _ isPresent: (ObjectID) -> Bool
    ) {
        let anchor = saved.prefix { $0 != id }.last(where: isPresent)
        // Members that come back one after the other come behind the last one.
        order.insert(id, at: anchor.flatMap(order.lastIndex).map { $0 + 1 } ?? 0)
    }
}
