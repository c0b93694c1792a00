import StrataModel

/// The destinations of a to-many relationship of one object, as far as they are known.
///
/// An unloaded relationship keeps additions and removals apart until it is loaded, so that changing one side of a relationship never has
/// to load the other. Only the change tracker changes them; loading is none.
final class ToManyState {
    let isOrdered: Bool
    // Exclusivity is not checked at run time for what every new relation adds to: an object is on one thread, and no access spans another.
    @safe @exclusivity(unchecked) private(set) var isLoaded: Bool
    @safe @exclusivity(unchecked) private var memberSet = ObjectIDSet()
    /// The destinations in order; kept for ordered relationships only.
    @safe @exclusivity(unchecked) private(set) var order: [ObjectID] = []
    private var addedToSaved = ObjectIDSet()
    /// Whether the object was never saved, so that all its destinations are added ones.
    @safe @exclusivity(unchecked) private(set) var isNew: Bool
    @safe @exclusivity(unchecked) private var removedSet = ObjectIDSet()
    /// Whether the order differs from the saved one other than by additions and removals.
    private(set) var isReordered = false
    /// The saved destinations in order, as they were loaded; kept for ordered relationships only.
    private var loaded: [ObjectID] = []
    /// The order that was not saved, with the saved one it was made of, while the relationship is to be loaded anew.
    private var unsaved: (loaded: [ObjectID], order: [ObjectID])?

    init(isOrdered: Bool, isLoaded: Bool, isNew: Bool) {
        self.isOrdered = isOrdered
        self.isLoaded = isLoaded
        self.isNew = isNew
    }

    func copy() -> ToManyState {
        let copy = ToManyState(isOrdered: isOrdered, isLoaded: isLoaded, isNew: isNew)
        copy.memberSet = memberSet
        copy.order = order
        copy.addedToSaved = addedToSaved
        copy.removedSet = removedSet
        copy.isReordered = isReordered
        copy.loaded = loaded
        copy.unsaved = unsaved
        return copy
    }

    /// The destinations without an order, each once; all of them once loaded.
    var members: [ObjectID] { memberSet.ids }
    /// The number of destinations that are known.
    var count: Int { memberSet.count }
    /// Whether an object is among the destinations that are known.
    func contains(_ id: ObjectID) -> Bool { memberSet.contains(id) }
    /// The destinations that no save has stored, each once.
    var added: [ObjectID] { isNew ? memberSet.ids : addedToSaved.ids }
    /// Whether a destination is one that no save has stored.
    func isAdded(_ id: ObjectID) -> Bool { isNew ? memberSet.contains(id) : addedToSaved.contains(id) }
    /// Whether a destination is a saved one that the next save takes away.
    func isRemoved(_ id: ObjectID) -> Bool { removedSet.contains(id) }
    /// The saved destinations that the next save takes away, each once.
    var removed: [ObjectID] { removedSet.ids }

    /// The saved destinations of an ordered relationship, as they were loaded.
    var savedOrder: [ObjectID] { loaded }

    var hasChanges: Bool { changesOrder || !removedSet.isEmpty }
    /// Whether there is more than removals, which leave the others in their order.
    var changesOrder: Bool { !(isNew ? memberSet.isEmpty : addedToSaved.isEmpty) || isReordered }

    func load(_ saved: [ObjectID]) {
        // Blind additions may have been there, and blind removals not.
        addedToSaved.subtract(saved)
        removedSet.formIntersection(saved)
        let kept = removedSet.isEmpty ? saved : saved.filter { !removedSet.contains($0) }
        let added = added
        memberSet = ObjectIDSet(unique: kept)
        for id in added { memberSet.insert(id) }
        if isOrdered {
            loaded = saved
            order = added.isEmpty && unsaved == nil ? kept : ordered(kept)
            unsaved = nil
        }
        isLoaded = true
    }

    /// The destinations in order: the saved ones that stay, with the order that was not saved applied to them, and blind additions last.
    private func ordered(_ kept: [ObjectID]) -> [ObjectID] {
        var order = kept
        if let unsaved {
            order = OrderMerge.merge(base: unsaved.loaded, mine: unsaved.order.filter { memberSet.contains($0) }, theirs: kept)
            let saved = Set(kept)
            isReordered = order.filter(saved.contains) != kept
        }
        let placed = Set(order)
        return order
            + added.filter { !placed.contains($0) }.sorted { UInt64(bitPattern: $0.reference) < UInt64(bitPattern: $1.reference) }
    }

    /// - Returns: Whether the destination was not there, or the object is new and it may not have been.
    func add(_ id: ObjectID, _: ChangeTracker.Pass) -> Bool {
        guard isLoaded else {
            removedSet.remove(id)
            return addedToSaved.insert(id)
        }
        if isNew && !isOrdered {
            memberSet.append(id)
            return true
        }
        guard memberSet.insert(id) else { return false }
        if isOrdered { order.append(id) }
        if isNew { return true }
        if !removedSet.remove(id) { addedToSaved.insert(id) } else if isOrdered { isReordered = true }
        return true
    }

    /// - Returns: Whether the destination was, or may have been, there.
    func remove(_ id: ObjectID, _: ChangeTracker.Pass) -> Bool {
        guard isLoaded else {
            addedToSaved.remove(id)
            return removedSet.insert(id)
        }
        guard memberSet.remove(id) else { return false }
        if isOrdered { order.removeAll { $0 == id } }
        if !isNew && !addedToSaved.remove(id) { removedSet.insert(id) }
        return true
    }

    func reorder(_ ids: [ObjectID], _: ChangeTracker.Pass) {
        guard isOrdered, order != ids else { return }
        order = ids
        isReordered = order != loaded
    }

    /// The destinations of an ordered relationship, those of some IDs that are there before the others.
    func order(beginningWith ids: [ObjectID]) -> [ObjectID] {
        let present = Set(order)
        let first = ids.filter(present.contains)
        let placed = Set(first)
        return first + order.filter { !placed.contains($0) }
    }

    /// Takes back that a destination was added, where it was.
    func forgetAddition(of id: ObjectID, _: ChangeTracker.Pass) {
        guard isNew ? memberSet.contains(id) : addedToSaved.remove(id) else { return }
        memberSet.remove(id)
        order.removeAll { $0 == id }
    }

    /// Takes back that a saved destination was removed, where it was; in an order it stands behind what it stood behind.
    func forgetRemoval(of id: ObjectID, _: ChangeTracker.Pass) {
        guard removedSet.remove(id) else { return }
        if isLoaded { memberSet.insert(id) }
        guard isOrdered else { return }
        if isLoaded {
            order = Self.order(order, with: id, asIn: loaded)
        } else if let unsaved {
            self.unsaved = (unsaved.loaded, Self.order(unsaved.order, with: id, asIn: unsaved.loaded))
        }
    }

    private static func order(_ order: [ObjectID], with id: ObjectID, asIn saved: [ObjectID]) -> [ObjectID] {
        let anchor = saved.prefix { $0 != id }.last(where: order.contains)
        var order = order
        order.insert(id, at: anchor.flatMap(order.firstIndex).map { $0 + 1 } ?? 0)
        return order
    }

    /// Forgets the saved destinations, so that they are loaded anew; what was changed here is applied to them then.
    func unload() {
        guard isLoaded else { return }
        if order != loaded { unsaved = (loaded, order) }
        isLoaded = false
        memberSet = ObjectIDSet()
        order = []
        loaded = []
    }

    /// Takes note that new objects got other IDs before they were saved.
    func rename(_ newID: (ObjectID) -> ObjectID, _: ChangeTracker.Pass) {
        memberSet.rename(newID)
        order = order.map(newID)
        loaded = loaded.map(newID)
        unsaved = unsaved.map { ($0.loaded, $0.order.map(newID)) }
        addedToSaved.rename(newID)
        removedSet.rename(newID)
    }

    /// Takes note that a save stored the changes, after which new objects have other IDs.
    func didSave(_ permanentID: (ObjectID) -> ObjectID, _: ChangeTracker.Pass) {
        if isNew {
            memberSet.rename(permanentID)
        } else if isLoaded {
            for id in addedToSaved.ids where id.isTemporary {
                memberSet.remove(id)
                memberSet.insert(permanentID(id))
            }
        }
        if order.contains(where: \.isTemporary) { order = order.map(permanentID) }
        loaded = order
        unsaved = nil
        addedToSaved = ObjectIDSet()
        isNew = false
        removedSet = ObjectIDSet()
        isReordered = false
    }
}
