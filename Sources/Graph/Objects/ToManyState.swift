import StrataModel

/// The destinations of a to-many relationship of one object, as far as they are known.
///
/// An unloaded relationship keeps additions and removals until it is loaded, so that changing one side never loads the
/// other. Both are differences from the saved state: what was removed and added again is neither. Only the change
/// tracker changes them; loading is no change.
final class ToManyState {
    let property: Int
    let isOrdered: Bool
    /// Whether no row holds the destinations.
    private let isLinked: Bool
    // Exclusivity is not checked at run time: an object is on one thread, and no access spans another.
    @safe @exclusivity(unchecked) private(set) var isLoaded: Bool
    /// Whether it was loaded and then unloaded: observers may have read destinations that it does not know any more.
    @safe @exclusivity(unchecked) private(set) var wasLoaded = false
    /// Whether the object was never saved, so that all destinations are added ones.
    @safe @exclusivity(unchecked) private(set) var isNew: Bool
    @safe @exclusivity(unchecked) private var memberSet = ObjectIDSet()
    /// State that relationships without an order only have where saved destinations change.
    @safe @exclusivity(unchecked) private var details: ToManyDetails?
    @safe @exclusivity(unchecked) var next: ToManyState?

    init(_ relationship: RelationshipDescription, isLoaded: Bool, isNew: Bool) {
        property = relationship.index
        isOrdered = relationship.isOrdered
        isLinked = if case .links = relationship.storage { true } else { false }
        self.isLoaded = isLoaded
        self.isNew = isNew
    }

    /// Creates a copy, independent of the object's other relationships.
    init(copying state: ToManyState) {
        property = state.property
        isOrdered = state.isOrdered
        isLinked = state.isLinked
        isLoaded = state.isLoaded
        isNew = state.isNew
        memberSet = state.memberSet
        details = state.details?.copy()
    }

    private func makeDetails() -> ToManyDetails {
        if let details { return details }
        let made = ToManyDetails()
        details = made
        return made
    }

    /// The destinations in order; for ordered relationships only.
    var order: [ObjectID] { details?.order.listIDs() ?? [] }

    /// Returns the destination at an index of the order; `nil` out of bounds.
    func member(at index: Int) -> ObjectID? {
        guard let details, index >= 0, index < details.order.count else { return nil }
        return details.order[index]
    }

    func index(of id: ObjectID) -> Int? { isOrdered && contains(id) ? details?.order.index(of: id) : nil }

    /// The destinations without order; all of them once loaded.
    var members: [ObjectID] { memberSet.ids }
    var count: Int { memberSet.count }
    func contains(_ id: ObjectID) -> Bool { memberSet.contains(id) }
    /// The unsaved destinations.
    var added: [ObjectID] { isNew ? memberSet.ids : details?.addedToSaved.ids ?? [] }
    func isAdded(_ id: ObjectID) -> Bool { isNew ? memberSet.contains(id) : details?.addedToSaved.contains(id) ?? false }
    /// Returns whether a destination is a saved one that the next save removes.
    func isRemoved(_ id: ObjectID) -> Bool { details?.removedSet.contains(id) ?? false }
    /// The saved destinations that the next save removes.
    var removed: [ObjectID] { details?.removedSet.ids ?? [] }

    /// The saved destinations of an ordered relationship, as loaded.
    var savedOrder: [ObjectID] { details?.order.saved ?? [] }

    var saved: [ObjectID] { isNew ? [] : isOrdered ? savedOrder : members.filter { !isAdded($0) } + removed }

    var hasChanges: Bool { changesOrder || (details.map { !$0.removedSet.isEmpty } ?? false) }
    /// Whether there is more than removals, which keep the order.
    var changesOrder: Bool {
        if isNew && !memberSet.isEmpty { return true }
        return details.map { $0.isReordered || (!isNew && !$0.addedToSaved.isEmpty) } ?? false
    }

    /// The index of the first of the added destinations, where they follow the saved ones, which keep their order.
    var firstAppended: Int? { isOrdered && isLoaded && !isNew ? details?.firstAppended : nil }
    /// The greatest key of the links, once the context saved keys of all.
    var greatestKey: OrderKey? { details?.greatestKey }

    /// Returns whether a save stored a destination that was added or removed here; `nil` where that is unknown.
    func pendingWasSaved(_ id: ObjectID) -> Bool? {
        guard isLoaded else { return details?.known[id] }
        return isRemoved(id) ? true : isAdded(id) ? false : nil
    }

    /// Returns whether a loaded relationship had an unchanged destination; `nil` where it is not loaded.
    func loadedWasSaved(_ id: ObjectID) -> Bool? { isLoaded ? contains(id) : nil }

    /// The additions and removals of which it is unknown whether a save stored the destination.
    var blindChanges: [ObjectID] { isLoaded ? [] : details?.blindChanges ?? [] }

    /// Takes the saved destinations, and applies the earlier changes.
    ///
    /// A change with known saved state stays a change, as in a loaded relationship.
    ///
    /// - Returns: The destinations whose changes have no effect any more: added ones that exist, removed ones that do not.
    @discardableResult
    func load(_ saved: [ObjectID]) -> [ObjectID] {
        (isLoaded, wasLoaded) = (true, false)
        guard isOrdered || details != nil else {
            // All destinations of a new object are added ones.
            let added = isNew ? memberSet.ids : []
            memberSet = ObjectIDSet(unique: saved)
            for id in added { memberSet.insert(id) }
            return []
        }
        let details = makeDetails()
        let settled = details.settleBlindChanges(saved)
        let saved = details.addedToSaved.isEmpty ? saved : saved.filter { !details.addedToSaved.contains($0) }
        let kept = details.removedSet.isEmpty ? saved : saved.filter { !details.removedSet.contains($0) }
        let added = added
        memberSet = ObjectIDSet(unique: kept)
        for id in added { memberSet.insert(id) }
        if isOrdered {
            let order = added.isEmpty && details.unsaved == nil ? kept : ordered(kept, details)
            details.greatestKey = nil
            details.order = MemberOrder(saved: saved, current: order)
            details.unsaved = nil
        }
        return settled
    }

    /// Returns the kept saved destinations in order, with the unsaved order applied, and blind additions last.
    private func ordered(_ kept: [ObjectID], _ details: ToManyDetails) -> [ObjectID] {
        var order = kept
        if let unsaved = details.unsaved {
            order = OrderMerge.merge(base: unsaved.saved, mine: unsaved.ids.filter { memberSet.contains($0) }, theirs: kept)
            let saved = Set(kept)
            details.isReordered = order.filter(saved.contains) != kept
        }
        let placed = Set(order)
        return order + added.filter { !placed.contains($0) }.sorted { UInt64(bitPattern: $0.reference) < UInt64(bitPattern: $1.reference) }
    }

    /// Adds a destination; a removed one of an ordered relationship returns to its position, another one goes last.
    ///
    /// - Parameter wasSaved: Whether a save stored it, where that is known beyond what is loaded here.
    /// - Returns: Whether the destination was not there, or the object is new and it may not have been.
    func add(_ id: ObjectID, wasSaved: Bool? = nil, _ token: ChangeTracker.MutationToken) -> Bool {
        guard isLoaded else {
            let details = makeDetails()
            let wasRemoved = details.removedSet.isEmpty ? false : isRemoved(id)
            if !wasRemoved {
                // Neither is to be reverted.
            } else if wasSaved == true {
                forgetRemoval(of: id, token)
            } else {
                details.removedSet.remove(id)
            }
            remember(id, wasSaved, details)
            return wasSaved == true ? wasRemoved : details.addedToSaved.insert(id)
        }
        if isNew && !isOrdered {
            memberSet.append(id)
            return true
        }
        if memberSet.contains(id) { return false }
        if isRemoved(id) {
            forgetRemoval(of: id, token)
            return true
        }
        memberSet.insert(id)
        if isOrdered { makeDetails().order.append(id) }
        if isNew { return true }
        if wasSaved == true { details?.greatestKey = nil } else { makeDetails().addedToSaved.insert(id) }
        return true
    }

    /// Records whether a save stored a link; of other destinations rows hold that.
    private func remember(_ id: ObjectID, _ wasSaved: Bool?, _ details: ToManyDetails) { if isLinked { details.known[id] = wasSaved } }

    /// Removes a destination.
    ///
    /// - Parameter wasSaved: Whether a save stored it, where that is known beyond what is loaded here.
    /// - Returns: Whether the destination was, or may have been, there.
    func remove(_ id: ObjectID, wasSaved: Bool? = nil, _: ChangeTracker.MutationToken) -> Bool {
        guard isLoaded else {
            let details = makeDetails()
            let wasAdded = details.addedToSaved.remove(id)
            remember(id, wasSaved, details)
            return wasSaved == false ? wasAdded : details.removedSet.insert(id)
        }
        guard memberSet.remove(id) else { return false }
        removeFromOrder(id)
        if isNew { return true }
        let details = makeDetails()
        if !details.addedToSaved.remove(id) && wasSaved != false { details.removedSet.insert(id) }
        details.settleOrder()
        return true
    }

    var unsaved: MemberOrder? { details?.unsaved }

    /// Returns whether the position of a destination is known.
    func isPlaced(_ id: ObjectID) -> Bool { isLoaded || details?.unsaved?.contains(id) == true }

    /// Keeps an order until the relationship is loaded, merged with an earlier one.
    ///
    /// - Parameter base: The order that it is based on.
    func keepOrder(_ ids: [ObjectID], madeOf base: [ObjectID], _: ChangeTracker.MutationToken) {
        let details = makeDetails()
        let saved = details.unsaved?.saved ?? base
        let order = details.unsaved.map { OrderMerge.apply(ids, madeOf: base, to: $0.ids) } ?? ids
        details.unsaved = order == saved ? nil : MemberOrder(saved: saved, current: order)
        details.isReordered = OrderMerge.moves(order, madeOf: saved)
    }

    func reorder(_ ids: [ObjectID], _: ChangeTracker.MutationToken) {
        guard isOrdered, order != ids else { return }
        let details = makeDetails()
        details.order.replace(with: ids)
        details.isReordered = ids != details.order.saved
    }

    /// Moves a destination to an index, which is that after the move.
    func move(_ id: ObjectID, to index: Int, _: ChangeTracker.MutationToken) {
        guard isOrdered, contains(id) else { return }
        let details = makeDetails()
        details.order.remove(id)
        details.order.insert(id, at: index)
        details.isReordered = !details.order.isAsSaved
    }

    func forgetAddition(of id: ObjectID, _: ChangeTracker.MutationToken) {
        guard isNew ? memberSet.contains(id) : details?.addedToSaved.remove(id) ?? false else { return }
        details?.known[id] = nil
        memberSet.remove(id)
        removeFromOrder(id)
        if isLoaded { details?.settleOrder() }
    }

    /// Reverts the removal of a saved destination, if any; in an order it goes behind its former predecessor.
    func forgetRemoval(of id: ObjectID, _: ChangeTracker.MutationToken) {
        guard let details, details.removedSet.remove(id) else { return }
        details.known[id] = nil
        if isLoaded { memberSet.insert(id) }
        guard isOrdered else { return }
        if isLoaded {
            details.order.restore(id)
            details.settleOrder()
        } else if details.unsaved?.contains(id) == false {
            details.unsaved?.restore(id)
        }
    }

    private func removeFromOrder(_ id: ObjectID) { if isOrdered { details?.order.remove(id) } }

    /// Unloads the saved destinations; changes are applied again when they are loaded.
    func unload() {
        if !isLoaded {
            // Known states are older than what is loaded next.
            details?.known = [:]
            return
        }
        (isLoaded, wasLoaded) = (false, true)
        memberSet = ObjectIDSet()
        guard let details else { return }
        if !details.order.isAsSaved { details.unsaved = MemberOrder(saved: savedOrder, current: order) }
        details.order = MemberOrder()
        details.greatestKey = nil
    }

    func rename(_ newID: (ObjectID) -> ObjectID, _: ChangeTracker.MutationToken) {
        memberSet.rename(newID)
        details?.rename(newID)
    }

    func didSave(_ ids: SavedIDs, _: ChangeTracker.MutationToken) {
        if isNew {
            memberSet.rename(ids)
        } else if isLoaded, let details {
            for id in details.addedToSaved.ids where id.isTemporary {
                memberSet.remove(id)
                memberSet.insert(ids[id])
            }
        }
        let (first, greatestKey) = (firstAppended ?? 0, isLinked ? greatestSavedKey : nil)
        isNew = false
        guard let known = details else { return }
        details = nil
        guard isOrdered else { return }
        var order = known.order.listIDs()
        for index in first..<order.count where order[index].isTemporary { order[index] = ids[order[index]] }
        makeDetails().order = MemberOrder(saved: order, current: order)
        makeDetails().greatestKey = greatestKey
    }
}
