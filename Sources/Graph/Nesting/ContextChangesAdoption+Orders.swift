import StrataModel

// The child's changes of order, which are applied to the parent's orders.

extension ContextChangesAdoption {
    /// The base of a child's order.
    enum OrderTarget {
        /// The destinations before any change.
        case loaded([ObjectID])
        /// A relationship that is not loaded: loading it now could apply what the child changed.
        case unloaded
        /// The destinations keep their order.
        case unchanged
    }

    mutating func orderTargets() throws -> [OrderTarget] {
        var targets: [OrderTarget] = []
        for members in changes.members { targets.append(try orderTarget(members)) }
        return targets
    }

    private mutating func orderTarget(_ members: ContextChanges.Members) throws -> OrderTarget {
        guard let order = members.order, let relationship = members.relationship else { return .unchanged }
        if isInserted(members.id) { return .loaded([]) }
        let object = context.fault(with: members.id)
        hold(object)
        // An undo needs the order before.
        if tracker.journal == nil, object.state(relationship).canKeepOrder { return .unloaded }
        // More destinations than before are no rest of them.
        if order.ids.count <= order.saved.count, order.ids == order.saved.filter(Set(order.ids).contains) { return .unchanged }
        return .loaded(try object.loadedState(relationship).order)
    }

    /// Keeps the child's order of a relationship until it is loaded.
    func keepOrder(_ members: ContextChanges.Members, _ target: OrderTarget) {
        guard case .unloaded = target, let order = members.order, let relationship = members.relationship else { return }
        let object = context.fault(with: members.id)
        tracker.keepOrder(permanent(order.ids), madeOf: permanent(order.saved), of: relationship, object.state(relationship), of: object)
    }

    /// Puts members in the child's order; unknown ones stay behind the same member.
    func reorder(_ members: ContextChanges.Members, _ target: OrderTarget) {
        guard case .loaded(let before) = target, let order = members.order, let relationship = members.relationship else { return }
        let object = context.fault(with: members.id)
        let state = object.state(relationship)
        let (saved, mine, current) = (permanent(order.saved), permanent(order.ids), state.order)
        // The child appended to the parent's order.
        if current == mine && before == saved { return }
        let present = Set(current)
        let merged = OrderMerge.merge(base: saved, mine: mine.filter(present.contains), theirs: before.filter(present.contains))
        tracker.reorder(state.order(beginningWith: merged), of: relationship, state, of: object)
    }

    private func permanent(_ ids: [ObjectID]) -> [ObjectID] { ids.map(context.identity.permanent) }
}
