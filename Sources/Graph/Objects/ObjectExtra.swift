import StrataModel

/// What an object holds beside its row: pending values, and the destinations of to-many relationships.
final class ObjectExtra {
    /// The pending value of each property by index, to-one destinations as IDs; empty while there are none.
    private var values: ContiguousArray<Value?> = []
    private var relationships: [(property: Int, state: ToManyState)] = []

    var hasValues: Bool { !values.isEmpty }

    func value(_ property: Int) -> Value? { property < values.count ? values[property] : nil }

    func set(_ value: Value?, _ property: Int, of count: Int) {
        if values.isEmpty {
            if value == nil { return }
            values = ContiguousArray(repeating: nil, count: count)
        }
        values[property] = value
    }

    func toMany(_ property: Int) -> ToManyState? { relationships.first { $0.property == property }?.state }

    func set(_ state: ToManyState, _ property: Int) { relationships.append((property, state)) }

    var toManyStates: [(property: Int, state: ToManyState)] { relationships }

    /// Drops the pending values of some properties: those that a save stored, or all.
    func dropValues(where isDropped: (Int) -> Bool = { _ in true }) {
        for property in values.indices where isDropped(property) { values[property] = nil }
        if values.allSatisfy({ $0 == nil }) { values = [] }
    }

    func dropRelationships() { relationships = [] }
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
    private(set) var added: Set<ObjectID> = []
    private(set) var removed: Set<ObjectID> = []
    /// Whether the order differs from the saved one other than by additions and removals.
    private(set) var isReordered = false

    init(isOrdered: Bool, isLoaded: Bool) {
        self.isOrdered = isOrdered
        self.isLoaded = isLoaded
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

    func load(_ saved: [ObjectID]) {
        let kept = saved.filter { !removed.contains($0) }
        let new = added.subtracting(kept)
        members = Set(kept).union(new)
        if isOrdered { order = kept + new.sorted { UInt64(bitPattern: $0.reference) < UInt64(bitPattern: $1.reference) } }
        isLoaded = true
    }

    /// - Returns: Whether the destination was not there.
    @discardableResult
    func add(_ id: ObjectID, at index: Int? = nil) -> Bool {
        if isLoaded {
            guard members.insert(id).inserted else { return false }
            if isOrdered { order.insert(id, at: min(index ?? order.count, order.count)) }
            if index != nil { isReordered = true }
        } else if added.contains(id) {
            return false
        }
        if removed.remove(id) == nil { added.insert(id) } else if isOrdered { isReordered = true }
        return true
    }

    /// - Returns: Whether the destination was, or may have been, there.
    @discardableResult
    func remove(_ id: ObjectID) -> Bool {
        if isLoaded {
            guard members.remove(id) != nil else { return false }
            if isOrdered { order.removeAll { $0 == id } }
        } else if removed.contains(id) {
            return false
        }
        if added.remove(id) == nil { removed.insert(id) }
        return true
    }

    func reorder(_ ids: [ObjectID]) {
        guard isOrdered, order != ids else { return }
        order = ids
        isReordered = true
    }

    /// Takes note that a save stored the changes, after which new objects have other IDs.
    func didSave(_ permanentID: (ObjectID) -> ObjectID) {
        if added.contains(where: \.isTemporary) || members.contains(where: \.isTemporary) {
            members = Set(members.map(permanentID))
            order = order.map(permanentID)
        }
        added = []
        removed = []
        isReordered = false
    }
}
