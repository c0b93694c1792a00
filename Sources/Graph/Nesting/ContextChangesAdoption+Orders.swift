import StrataModel

// The orders of relationships as a child has them, which are applied to those of the parent.

extension ContextChangesAdoption {
    /// What a child's order is applied to.
    enum OrderTarget {
        /// The destinations as they are before anything is changed.
        case loaded([ObjectID])
        /// What is known of a relationship that is not loaded: loading it now could settle what the child knows otherwise.
        case unloaded
        /// Nothing: the destinations that were not removed keep their order.
        case unchanged
    }

    /// Returns the orders that the child's are applied to.
    mutating func orderTargets() throws -> [OrderTarget] {
        var targets: [OrderTarget] = []
        for members in changes.members { targets.append(try orderTarget(members)) }
        return targets
    }

    private mutating func orderTarget(_ members: ContextChanges.Members) throws -> OrderTarget {
        guard let order = members.order, let relationship = members.relationship else {
            return .unchanged
        }
        if isInserted(members.id) { return .loaded([]) }
        let object = context.fault(with: members.id)
        hold(object)
        // An undo has to know the order before.
        if tracker.journal == nil, object.state(relationship).canKeepOrder { return .unloaded }
        if order.order == order.loaded.filter(Set(order.order).contains) { return .unchanged }
        return .loaded(try object.loadedState(relationship).order)
    }

    /// Keeps the child's order of a relationship that is not loaded until it is.
    func keepOrder(_ members: ContextChanges.Members, _ target: OrderTarget) {
        guard case .unloaded = target, let order = members.order, let relationship = members.relationship else { return }
        let object = context.fault(with: members.id)
        tracker.keepOrder(permanent(order.order), madeOf: permanent(order.loaded), of: relationship, object.state(relationship), of: object)
    }

    /// Puts members in the child's order; those that the child does not know stay behind what they stood behind.
    func reorder(_ members: ContextChanges.Members, _ target: OrderTarget) {
        guard case .loaded(let before) = target, let order = members.order, let relationship = members.relationship else { return }
        let object = context.fault(with: members.id)
        let state = object.state(relationship)
        let present = Set(state.order)
        let merged = OrderMerge.merge(
            base: permanent(order.loaded), mine: permanent(order.order).filter(present.contains), theirs: before.filter(present.contains))
        tracker.reorder(state.order(beginningWith: merged), of: relationship, state, of: object)
    }

    private func permanent(_ ids: [ObjectID]) -> [ObjectID] { ids.map(context.identity.permanent) }
}
