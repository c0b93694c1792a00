import StrataCoordinator
public import StrataModel

/// What an object holds beside its row: pending values, and the destinations of to-many relationships.
///
/// Only the change tracker changes them.
@usableFromInline
final class ObjectExtra {
    // Exclusivity is not checked at run time for what each change of an object touches: an object is on one thread, and no access spans
    // another.
    @safe @exclusivity(unchecked) private var pending = PendingValues()
    @safe @exclusivity(unchecked) private var firstState: ToManyState?
    /// Which values were set, by anything but the model's defaults.
    @safe @exclusivity(unchecked) private var given = PropertySet()
    @safe @exclusivity(unchecked) private var rare: Rare?

    /// What few objects have.
    private final class Rare {
        var unfit: [Int] = []
        var held: [Int: [ManagedObject]] = [:]
        var survivor: ManagedObject?
        var fetched: [String: [ObjectID]] = [:]
        var lostContextError: (any Error)?

        private func takeHeld() -> [ManagedObject] {
            defer { held = [:] }
            return held.values.flatMap(\.self)
        }

        deinit { ManagedObject.letGo(takeHeld()) }
    }

    private func makeRare() -> Rare {
        if let rare { return rare }
        let rare = Rare()
        self.rare = rare
        return rare
    }

    /// The properties whose pending values are out of the range of their attributes.
    var unfit: [Int] { rare?.unfit ?? [] }
    /// The object that this one was united with by a save, because a constraint allows for one only.
    var survivor: ManagedObject? { rare?.survivor }

    /// What an object that no context saves is related to, by the index of the relationship.
    var held: [Int: [ManagedObject]] {
        get { rare?.held ?? [:] }
        set { makeRare().held = newValue }
    }

    /// What could not be read as the object's context was released.
    var lostContextError: (any Error)? {
        get { rare?.lostContextError }
        set { makeRare().lostContextError = newValue }
    }

    /// What fetched properties held when they were read, by name.
    var fetched: [String: [ObjectID]] {
        get { rare?.fetched ?? [:] }
        set { if rare != nil || !newValue.isEmpty { makeRare().fetched = newValue } }
    }

    var hasValues: Bool { !pending.isEmpty }
    var isEmpty: Bool { pending.isEmpty && firstState == nil && fetched.isEmpty }

    // MARK: - Values

    /// Returns the row that holds the value of a property: the pending ones, or else another; `nil` where no row does.
    @usableFromInline
    func row(_ property: Int, else row: Row?) -> Row? { pending.properties.contains(property) ? pending.row(property) : row }

    /// The properties with a pending value, be it nil.
    var pendingProperties: PropertySet { pending.properties }
    /// Returns whether a value is pending, be it nil.
    func isPending(_ property: Int) -> Bool { pending.properties.contains(property) }

    /// Returns the pending value of a property of the object that this belongs to, of a to-one relationship an ID.
    func value(_ property: Int, of object: ManagedObject) -> Value? { pending.value(property, of: object) }

    /// Returns whether a to-one relationship has a pending destination with a temporary ID.
    func leadsToNew(_ slot: Slot) -> Bool { pending.leadsToNew(slot) }

    /// Returns whether a to-one relationship may have a pending destination.
    func mayLeadSomewhere(_ slot: Slot) -> Bool { pending.mayLeadSomewhere(slot) }

    /// Returns whether a property has the pending value nil.
    func isNull(_ propertySlot: PropertySlot) -> Bool { pending.isNull(propertySlot) }

    /// Returns whether the pending values are those of a row that has a value in each of some of the first 64 slots: a
    /// bit for each.
    func holdsAll(slots: UInt64) -> Bool { pending.holdsAll(slots: slots) }

    /// Makes a value pending, one that is not just a default.
    func set(
        _ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, isUnfit: Bool = false, _ drafts: RowDrafts?,
        _: ChangeTracker.MutationToken
    ) {
        pending.set(value, propertySlot, of: object, isUnfit: isUnfit, drafts)
        rare?.unfit.removeAll { $0 == propertySlot.property }
        if isUnfit { makeRare().unfit.append(propertySlot.property) }
        given.insert(propertySlot.property)
    }

    /// Forgets a pending value; what was set goes on to count as given.
    func forget(_ property: Int, of entity: EntityDescription, _ drafts: RowDrafts, _: ChangeTracker.MutationToken) {
        pending.forget(property, entity, drafts)
        rare?.unfit.removeAll { $0 == property }
    }

    /// Returns the pending values apart from these; they are copied when one is set the next time.
    func shareValues() -> PendingValues? { pending.isEmpty ? nil : pending.copy() }

    /// Drops all pending values.
    func dropValues(_: ChangeTracker.MutationToken) {
        pending = PendingValues()
        rare?.unfit = []
    }

    /// Drops the pending values that a row holds now; those of transient properties stay.
    func dropStoredValues(_ propertySlots: [PropertySlot], _: ChangeTracker.MutationToken) {
        if pending.isEmpty { return }
        pending.dropStored(propertySlots)
        rare?.unfit.removeAll { propertySlots[$0].slot != nil }
    }

    /// Returns the pending values as the row of a new object; `nil` where they are not all of it.
    func takeRow(of object: ManagedObject, exclusively isExclusive: Bool, _ drafts: RowDrafts, _: ChangeTracker.MutationToken) -> Row? {
        pending.take(object.entity, reference: object.objectID.reference, exclusively: isExclusive, drafts)
    }

    /// Takes the values back that a save had, which failed.
    func takeBackRow(of object: ManagedObject, _ given: GivenReferences, _ drafts: RowDrafts, _: ChangeTracker.MutationToken) {
        pending.takeBack(of: object, given, drafts)
    }

    /// Takes the values of a row, of an object that has none.
    func adopt(_ row: Row, _ given: PropertySet, of entity: EntityDescription, _ scopes: ObjectIDScopes?, _: ChangeTracker.MutationToken) {
        pending.adopt(row, entity, scopes)
        self.given = given
    }

    /// The values that were set, other than by a default.
    var givenProperties: PropertySet { given }

    func setSurvivor(_ survivor: ManagedObject, _: ChangeTracker.MutationToken) { makeRare().survivor = survivor }

    /// Returns whether a value was set since the object was made, other than by a default.
    func isGiven(_ property: Int) -> Bool { given.contains(property) }

    /// Has all values count as defaults.
    func forgetGiven(_: ChangeTracker.MutationToken) { given = PropertySet() }

    // MARK: - Destinations

    func toMany(_ property: Int) -> ToManyState? {
        var state = firstState
        while let known = state {
            if known.property == property { return known }
            state = known.next
        }
        return nil
    }

    /// Adds what is known of a relationship's destinations.
    func add(_ state: ToManyState) {
        guard var last = firstState else { return firstState = state }
        while let next = last.next { last = next }
        last.next = state
    }

    /// Whether anything is known of the destinations of a to-many relationship.
    var hasToManyStates: Bool { firstState != nil }

    var toManyStates: ToManyStates { ToManyStates(beginningWith: firstState) }

    /// Drops what is known of to-many relationships.
    func dropRelationships(_: ChangeTracker.MutationToken, except isKept: (ToManyState) -> Bool = { _ in false }) {
        // Those that go still lead on, for whoever is going through them.
        let kept = toManyStates.filter { isKept($0.state) }.map(\.state)
        firstState = kept.first
        for (state, next) in zip(kept, kept.dropFirst()) { state.next = next }
        kept.last?.next = nil
    }

    // MARK: - All of it

    /// Returns the same values and destinations apart from these.
    func copy() -> ObjectExtra {
        let copy = ObjectExtra()
        copy.pending = pending.copy()
        copy.given = given
        if let rare {
            let rareCopy = copy.makeRare()
            rareCopy.unfit = rare.unfit
            rareCopy.survivor = rare.survivor
            rareCopy.fetched = rare.fetched
        }
        for (_, state) in toManyStates { copy.add(state.copy()) }
        return copy
    }

    /// Forgets everything but the destinations of to-many relationships that have changes.
    func forgetValues(_ token: ChangeTracker.MutationToken) {
        pending = PendingValues()
        rare = nil
        dropRelationships(token) { $0.hasChanges }
        forgetGiven(token)
    }

    /// Takes note that objects got other IDs: new ones, which only changes lead to, or any.
    func rename(
        of object: ManagedObject, _ newID: (ObjectID) -> ObjectID, _ drafts: RowDrafts, _ token: ChangeTracker.MutationToken,
        all: Bool = false
    ) {
        pending.rename(of: object, newID, drafts)
        for (_, state) in toManyStates where all || state.hasChanges { state.rename(newID, token) }
    }

    /// Takes note that a save stored the values and destinations, after which new objects have other IDs.
    func didSave(_ object: ManagedObject, _ ids: SavedIDs, _ drafts: RowDrafts, _ token: ChangeTracker.MutationToken) {
        if firstState == nil && rare == nil && pending.isWholeRow { return pending = PendingValues() }
        for (_, state) in toManyStates { state.didSave(ids, token) }
        dropStoredValues(object.entity.propertySlots, token)
        if !pending.isEmpty { pending.rename(of: object, { ids[$0] }, drafts) }
    }
}
