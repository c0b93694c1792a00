import StrataModel

extension ToManyState {
    /// The difference from the saved destinations at a moment.
    struct Changes {
        let isNew: Bool
        let added: [ObjectID]
        let removed: [ObjectID]
        /// The destinations in order; `nil` where they were not loaded or not ordered.
        let order: [ObjectID]?

        init(_ state: ToManyState) {
            isNew = state.isNew
            added = state.added
            removed = state.removed
            order = state.isOrdered && state.isLoaded ? state.order : nil
        }
    }

    /// The current order, with the saved one that it is based on; `nil` where one of them is unknown.
    var unsavedOrder: MemberOrder? {
        if isLoaded { return MemberOrder(saved: savedOrder, current: order) }
        guard let unsaved, added.allSatisfy(isPlaced) else { return nil }
        return MemberOrder(saved: unsaved.saved, current: unsaved.ids.filter { !isRemoved($0) })
    }

    /// The destinations whose links a save orders, with their keys: those behind all others, where the keys of these are
    /// known, else all, as the links of others may have any keys.
    var orderedLinks: [(id: ObjectID, key: OrderKey)] {
        var (first, last) = (0, greatestKey)
        if let appended = firstAppended, last != nil { first = appended } else { last = nil }
        let ids = first == 0 ? order[...] : (first..<count).compactMap { member(at: $0) }[...]
        return ids.map { id in
            let key = OrderKey(after: last)
            last = key
            return (id, key)
        }
    }

    /// The greatest key of the links after a save of the changes; `nil` where it is unknown.
    var greatestSavedKey: OrderKey? {
        guard isLoaded, isOrdered, changesOrder else { return greatestKey }
        return orderedLinks.last?.key
    }

    /// Whether a child's order can be kept until the relationship is loaded: there is a base order, or no change.
    var canKeepOrder: Bool {
        if isLoaded || isNew { return false }
        return unsaved != nil || added.isEmpty && removed.isEmpty
    }

    /// Returns the destinations of an ordered relationship, some of them first.
    func order(beginningWith ids: [ObjectID]) -> [ObjectID] {
        let present = Set(order)
        let first = ids.filter(present.contains)
        let placed = Set(first)
        return first + order.filter { !placed.contains($0) }
    }

    /// Returns the destinations in order, some of them behind their loaded predecessors.
    func order(restoring ids: Set<ObjectID>) -> [ObjectID] {
        let present = Set(order)
        var restored: Set<ObjectID> = []
        var following: [ObjectID?: [ObjectID]] = [:]
        // Consecutive members that are restored follow the last one that is not.
        var anchor: ObjectID?
        for id in savedOrder where present.contains(id) {
            if ids.contains(id) {
                restored.insert(id)
                following[anchor, default: []].append(id)
            } else {
                anchor = id
            }
        }
        return (following[nil] ?? []) + order.lazy.filter { !restored.contains($0) }.flatMap { [$0] + (following[$0] ?? []) }
    }
}
