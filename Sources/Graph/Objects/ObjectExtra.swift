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
    /// Which values were set, by anything but the model's defaults: a bit for each of the first properties.
    private var given: UInt64 = 0
    private var givenBeyond: Set<Int> = []
    /// The object that this one was united with by a save, because a constraint allows for one only.
    var survivor: ManagedObject?
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

    /// Takes note that a value is not just a default.
    @inline(__always)
    func noteGiven(_ property: Int) {
        if property < UInt64.bitWidth { given |= 1 << UInt64(property) } else { givenBeyond.insert(property) }
    }

    /// Whether a value was set since the object was made, other than by a default.
    func isGiven(_ property: Int) -> Bool {
        property < UInt64.bitWidth ? given & (1 << UInt64(property)) != 0 : givenBeyond.contains(property)
    }

    /// Has all values count as defaults.
    func forgetGiven() {
        given = 0
        givenBeyond = []
    }

    func toMany(_ property: Int) -> ToManyState? { relationships.first { $0.property == property }?.state }

    func set(_ state: ToManyState, _ property: Int) { relationships.append((property, state)) }

    var toManyStates: [(property: Int, state: ToManyState)] { relationships }

    /// The same values and destinations apart from these.
    func copy() -> ObjectExtra {
        let copy = ObjectExtra()
        copy.values = values
        copy.unfit = unfit
        copy.fetched = fetched
        copy.given = given
        copy.givenBeyond = givenBeyond
        copy.survivor = survivor
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

    /// Forgets everything but the destinations of to-many relationships that have changes.
    func forgetValues() {
        dropValues()
        relationships.removeAll { !$0.state.hasChanges }
        held = [:]
        forgetGiven()
        survivor = nil
        fetched = [:]
    }

    /// Drops the destinations of relationships but for those that no store holds.
    func dropStoredRelationships(except isKept: (Int) -> Bool) { relationships.removeAll { !isKept($0.property) } }

    /// Takes note that new objects got other IDs, in the pending values and, where they are not saved yet, in the relationships.
    func rename(inRelationships: Bool, _ newID: (ObjectID) -> ObjectID) {
        for property in values.indices {
            if case .objectID(let id)? = values[property], id.isTemporary { values[property] = .objectID(newID(id)) }
        }
        if inRelationships { for (_, state) in relationships where state.hasChanges { state.rename(newID) } }
    }
}
