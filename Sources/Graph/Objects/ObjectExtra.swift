public import StrataModel

/// What an object holds beside its row: pending values, and the destinations of to-many relationships.
///
/// Only the change tracker changes them.
@usableFromInline
final class ObjectExtra {
    // Exclusivity is not checked at run time for what each change of an object touches: an object is on one thread, and no access spans
    // another.
    /// The pending value of each property by index, to-one destinations as IDs; empty while there are none.
    @safe @exclusivity(unchecked) private var values: ContiguousArray<Value?> = []
    @safe @exclusivity(unchecked) private var relationships: [(property: Int, state: ToManyState)] = []
    /// The properties whose pending values are out of the range of their attributes.
    @safe @exclusivity(unchecked) private(set) var unfit: [Int] = []
    /// What an object that no context saves is related to, by the index of the relationship.
    var held: [Int: [ManagedObject]] = [:]
    /// Which values were set, by anything but the model's defaults: a bit for each of the first properties.
    @safe @exclusivity(unchecked) private var given: UInt64 = 0
    private var givenBeyond: Set<Int> = []
    /// The object that this one was united with by a save, because a constraint allows for one only.
    private(set) var survivor: ManagedObject?
    /// What fetched properties held when they were read, by name.
    var fetched: [String: [ObjectID]] = [:]

    var hasValues: Bool { !values.isEmpty }
    var isEmpty: Bool { values.isEmpty && relationships.isEmpty && fetched.isEmpty }

    @usableFromInline
    func value(_ property: Int) -> Value? { property < values.count ? values[property] : nil }

    /// Makes a value pending, one that is not just a default.
    func set(_ value: Value, _ property: Int, of count: Int, isUnfit: Bool = false, _: ChangeTracker.Pass) {
        if values.isEmpty { values = ContiguousArray(repeating: nil, count: count) }
        values[property] = value
        if !unfit.isEmpty { unfit.removeAll { $0 == property } }
        if isUnfit { unfit.append(property) }
        if property < UInt64.bitWidth { given |= 1 << UInt64(property) } else { givenBeyond.insert(property) }
    }

    /// Forgets a pending value; what was set goes on to count as given.
    func forget(_ property: Int, _: ChangeTracker.Pass) {
        if property < values.count { values[property] = nil }
        if !unfit.isEmpty { unfit.removeAll { $0 == property } }
    }

    func setSurvivor(_ survivor: ManagedObject, _: ChangeTracker.Pass) { self.survivor = survivor }

    /// Whether a value was set since the object was made, other than by a default.
    func isGiven(_ property: Int) -> Bool {
        property < UInt64.bitWidth ? given & (1 << UInt64(property)) != 0 : givenBeyond.contains(property)
    }

    /// Has all values count as defaults.
    func forgetGiven(_: ChangeTracker.Pass) {
        given = 0
        givenBeyond = []
    }

    func toMany(_ property: Int) -> ToManyState? { relationships.first { $0.property == property }?.state }

    /// Adds what is known of a relationship's destinations.
    func add(_ state: ToManyState, _ property: Int) { relationships.append((property, state)) }

    /// Whether anything is known of the destinations of a to-many relationship.
    var hasToManyStates: Bool { !relationships.isEmpty }

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
    func dropValues(_: ChangeTracker.Pass) {
        values = []
        unfit = []
    }

    /// Drops the pending values that a row holds now; those of transient properties stay.
    func dropStoredValues(_ places: [PropertyPlace], _: ChangeTracker.Pass) {
        if values.isEmpty { return }
        if values.indices.contains(where: { places[$0].slot == nil && values[$0] != nil }) {
            for property in values.indices where places[property].slot != nil { values[property] = nil }
        } else {
            values = []
        }
        if !unfit.isEmpty { unfit = unfit.filter { value($0) != nil } }
    }

    /// Drops the destinations of relationships but for those that are to be kept.
    func dropRelationships(_: ChangeTracker.Pass, except isKept: (Int) -> Bool = { _ in false }) {
        relationships.removeAll { !isKept($0.property) }
    }

    /// Forgets everything but the destinations of to-many relationships that have changes.
    func forgetValues(_ pass: ChangeTracker.Pass) {
        dropValues(pass)
        relationships.removeAll { !$0.state.hasChanges }
        held = [:]
        forgetGiven(pass)
        survivor = nil
        fetched = [:]
    }

    /// Takes note that new objects got other IDs before they were saved.
    func rename(_ newID: (ObjectID) -> ObjectID, _ pass: ChangeTracker.Pass) {
        renameValues(newID)
        for (_, state) in relationships where state.hasChanges { state.rename(newID, pass) }
    }

    /// Takes note that a save stored the values and destinations, after which new objects have other IDs.
    func didSave(_ places: [PropertyPlace], _ newID: (ObjectID) -> ObjectID, _ pass: ChangeTracker.Pass) {
        for (_, state) in relationships { state.didSave(newID, pass) }
        dropStoredValues(places, pass)
        renameValues(newID)
    }

    private func renameValues(_ newID: (ObjectID) -> ObjectID) {
        for property in values.indices {
            if case .objectID(let id)? = values[property], id.isTemporary { values[property] = .objectID(newID(id)) }
        }
    }
}
