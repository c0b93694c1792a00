import StrataModel

/// The destinations of a to-many relationship of one object, as far as they are known.
///
/// An unloaded relationship keeps additions and removals apart until it is loaded, so that changing one side of a relationship never has
/// to load the other. Only the change tracker changes them; loading is none.
final class ToManyState {
    let isOrdered: Bool
    private(set) var isLoaded: Bool
    /// The destinations; all of them once loaded.
    private(set) var members: Set<ObjectID> = []
    /// The destinations in order; kept for ordered relationships only.
    private(set) var order: [ObjectID] = []
    /// The destinations that no save has stored.
    var added: Set<ObjectID> { isNew ? members : addedToSaved }
    private var addedToSaved: Set<ObjectID> = []
    /// Whether the object was never saved, so that all its destinations are added ones.
    private var isNew: Bool
    private(set) var removed: Set<ObjectID> = []
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
        copy.members = members
        copy.order = order
        copy.addedToSaved = addedToSaved
        copy.removed = removed
        copy.isReordered = isReordered
        copy.loaded = loaded
        copy.unsaved = unsaved
        return copy
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }
    /// Whether there is more than removals, which leave the others in their order.
    var changesOrder: Bool { !added.isEmpty || isReordered }
    var hasTemporaryMembers: Bool { added.contains(where: \.isTemporary) }

    func load(_ saved: [ObjectID]) {
        // Blind additions may have been there, and blind removals not.
        addedToSaved.subtract(saved)
        removed.formIntersection(saved)
        let kept = removed.isEmpty ? saved : saved.filter { !removed.contains($0) }
        members = Set(kept).union(added)
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
            order = OrderMerge.merge(base: unsaved.loaded, mine: unsaved.order.filter(members.contains), theirs: kept)
            let saved = Set(kept)
            isReordered = order.filter(saved.contains) != kept
        }
        let placed = Set(order)
        return order
            + added.filter { !placed.contains($0) }.sorted { UInt64(bitPattern: $0.reference) < UInt64(bitPattern: $1.reference) }
    }

    /// - Returns: Whether the destination was not there.
    func add(_ id: ObjectID, _: ChangeTracker.Pass) -> Bool {
        guard isLoaded else {
            removed.remove(id)
            return addedToSaved.insert(id).inserted
        }
        guard members.insert(id).inserted else { return false }
        if isOrdered { order.append(id) }
        if isNew { return true }
        if removed.remove(id) == nil { addedToSaved.insert(id) } else if isOrdered { isReordered = true }
        return true
    }

    /// - Returns: Whether the destination was, or may have been, there.
    func remove(_ id: ObjectID, _: ChangeTracker.Pass) -> Bool {
        guard isLoaded else {
            addedToSaved.remove(id)
            return removed.insert(id).inserted
        }
        guard members.remove(id) != nil else { return false }
        if isOrdered { order.removeAll { $0 == id } }
        if !isNew && addedToSaved.remove(id) == nil { removed.insert(id) }
        return true
    }

    func reorder(_ ids: [ObjectID], _: ChangeTracker.Pass) {
        guard isOrdered, order != ids else { return }
        order = ids
        isReordered = true
    }

    /// Takes back that a destination was added, where it was.
    func forgetAddition(of id: ObjectID, _: ChangeTracker.Pass) {
        guard isNew ? members.contains(id) : addedToSaved.remove(id) != nil else { return }
        members.remove(id)
        order.removeAll { $0 == id }
    }

    /// Takes back that a saved destination was removed, where it was; in an order it stands behind what it stood behind.
    func forgetRemoval(of id: ObjectID, _: ChangeTracker.Pass) {
        guard removed.remove(id) != nil else { return }
        if isLoaded { members.insert(id) }
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
        members = []
        order = []
        loaded = []
    }

    /// Takes note that new objects got other IDs before they were saved.
    func rename(_ newID: (ObjectID) -> ObjectID, _: ChangeTracker.Pass) {
        members = Set(members.map(newID))
        order = order.map(newID)
        unsaved = unsaved.map { ($0.loaded, $0.order.map(newID)) }
        addedToSaved = Set(addedToSaved.map(newID))
        removed = Set(removed.map(newID))
    }

    /// Takes note that a save stored the changes, after which new objects have other IDs.
    func didSave(_ permanentID: (ObjectID) -> ObjectID, _: ChangeTracker.Pass) {
        if hasTemporaryMembers {
            members = Set(members.map(permanentID))
            order = order.map(permanentID)
        }
        loaded = order
        unsaved = nil
        addedToSaved = []
        isNew = false
        removed = []
        isReordered = false
    }
}
