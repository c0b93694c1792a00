import StrataModel

/// What an object holds beside its row: pending values, and the destinations of to-many relationships.
@usableFromInline
final class ObjectExtra {
    /// The pending value of each property by index, to-one destinations as IDs; empty while there are none.
    private var values: ContiguousArray<Value?> = []
    private var relationships: [(property: Int, state: ToManyState)] = []
    /// The properties whose pending values are out of the range of their attributes.
    private(set) var unfit: [Int] = []
    /// What an object that no context saves is related to, by the index of the relationship.
    var held: [Int: [ManagedObject]] = [:]
    /// What fetched properties held when they were read, by name.
    var fetched: [String: [ObjectID]] = [:]

    var hasValues: Bool { !values.isEmpty }
    var isEmpty: Bool { values.isEmpty && relationships.isEmpty && fetched.isEmpty }

    @usableFromInline
    func value(_ property: Int) -> Value? { property < values.count ? values[property] : nil }

    func set(_ value: Value?, _ property: Int, of count: Int) {
        if values.isEmpty {
            if value == nil { return }
            values = ContiguousArray(repeating: nil, count: count)
        }
        values[property] = value
        if !unfit.isEmpty { unfit.removeAll { $0 == property } }
    }

    /// Takes note that the pending value of a property is out of range.
    func noteUnfit(_ property: Int) { unfit.append(property) }

    func toMany(_ property: Int) -> ToManyState? { relationships.first { $0.property == property }?.state }

    func set(_ state: ToManyState, _ property: Int) { relationships.append((property, state)) }

    var toManyStates: [(property: Int, state: ToManyState)] { relationships }

    /// The same values and destinations apart from these.
    func copy() -> ObjectExtra {
        let copy = ObjectExtra()
        copy.values = values
        copy.unfit = unfit
        copy.fetched = fetched
        copy.relationships = relationships.map { ($0.property, $0.state.copy()) }
        return copy
    }

    /// Drops all pending values.
    func dropValues() {
        values = []
        unfit = []
    }

    /// Drops the pending values that a row holds now; those of transient properties stay.
    func dropStoredValues(_ places: [PropertyPlace]) {
        if values.isEmpty { return }
        var isEmpty = true
        for property in values.indices {
            if places[property].slot >= 0 { values[property] = nil } else if values[property] != nil { isEmpty = false }
        }
        if isEmpty { values = [] }
        unfit = unfit.filter { value($0) != nil }
    }

    func dropRelationships() { relationships = [] }

    /// Takes note that new objects got other IDs, in the pending values and, where they are not saved yet, in the relationships.
    func rename(inRelationships: Bool, _ newID: (ObjectID) -> ObjectID) {
        for property in values.indices {
            if case .objectID(let id)? = values[property], id.isTemporary { values[property] = .objectID(newID(id)) }
        }
        if inRelationships { for (_, state) in relationships where state.hasChanges { state.rename(newID) } }
    }
}

/// The destinations of a to-many relationship of one object, as far as they are known.
///
/// An unloaded relationship keeps additions and removals apart until it is loaded, so that changing one side of a relationship never has
/// to load the other.
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
        let kept = saved.filter { !removed.contains($0) }
        members = Set(kept).union(added)
        if isOrdered { order = kept + added.sorted { UInt64(bitPattern: $0.reference) < UInt64(bitPattern: $1.reference) } }
        isLoaded = true
    }

    /// - Returns: Whether the destination was not there.
    @discardableResult
    func add(_ id: ObjectID, at index: Int? = nil) -> Bool {
        guard isLoaded else {
            removed.remove(id)
            return addedToSaved.insert(id).inserted
        }
        guard members.insert(id).inserted else { return false }
        if isOrdered { order.insert(id, at: min(index ?? order.count, order.count)) }
        if index != nil { isReordered = true }
        if isNew { return true }
        if removed.remove(id) == nil { addedToSaved.insert(id) } else if isOrdered { isReordered = true }
        return true
    }

    /// - Returns: Whether the destination was, or may have been, there.
    @discardableResult
    func remove(_ id: ObjectID) -> Bool {
        guard isLoaded else {
            addedToSaved.remove(id)
            return removed.insert(id).inserted
        }
        guard members.remove(id) != nil else { return false }
        if isOrdered { order.removeAll { $0 == id } }
        if !isNew && addedToSaved.remove(id) == nil { removed.insert(id) }
        return true
    }

    func reorder(_ ids: [ObjectID]) {
        guard isOrdered, order != ids else { return }
        order = ids
        isReordered = true
    }

    /// Forgets the saved destinations, so that they are loaded anew; an order that was changed here stays.
    func unload() {
        if isReordered { return }
        isLoaded = false
        members = []
        order = []
    }

    /// Takes note that new objects got other IDs before they were saved.
    func rename(_ newID: (ObjectID) -> ObjectID) {
        members = Set(members.map(newID))
        order = order.map(newID)
        addedToSaved = Set(addedToSaved.map(newID))
        removed = Set(removed.map(newID))
    }

    /// Takes note that a save stored the changes, after which new objects have other IDs.
    func didSave(_ permanentID: (ObjectID) -> ObjectID) {
        if hasTemporaryMembers {
            members = Set(members.map(permanentID))
            order = order.map(permanentID)
        }
        addedToSaved = []
        isNew = false
        removed = []
        isReordered = false
    }
}
