import StrataCoordinator
import StrataModel

/// The state of an object beside its row: pending values, and the destinations of to-many relationships.
///
/// Only the change tracker changes it.
// Safe: it alone retains what it references.
@safe @usableFromInline
final class ObjectExtra {
    // Exclusivity is not checked at run time: an object is on one thread, and no access spans another.
    @safe @exclusivity(unchecked) private(set) var pending = UnsavedValues()
    // Unmanaged, as most objects have neither: there is nothing to release.
    @safe @exclusivity(unchecked) private var firstStateReference: Unmanaged<ToManyState>?
    @safe @exclusivity(unchecked) private var rareReference: Unmanaged<RareState>?
    @safe @exclusivity(unchecked) private var givenProperties = PropertiesOfObject()
    /// The properties that were set, other than by the model's defaults.
    var given: PropertySet { givenProperties.set }

    private var firstState: ToManyState? {
        get { unsafe firstStateReference?.takeUnretainedValue() }
        set {
            let old = firstStateReference
            firstStateReference = unsafe newValue.map { unsafe Unmanaged.passRetained($0) }
            unsafe old?.release()
        }
    }

    private var rare: RareState? {
        get { unsafe rareReference?.takeUnretainedValue() }
        set {
            let old = rareReference
            rareReference = unsafe newValue.map { unsafe Unmanaged.passRetained($0) }
            unsafe old?.release()
        }
    }

    @inline(__always)
    private var hasRare: Bool { unsafe rareReference != nil }

    init() { (firstStateReference, rareReference) = (nil, nil) }

    deinit {
        unsafe firstStateReference?.release()
        unsafe rareReference?.release()
    }

    private func makeRare() -> RareState {
        if let rare { return rare }
        let rare = RareState()
        self.rare = rare
        return rare
    }

    var unfit: [Int] { rare?.unfit ?? [] }
    var firstUnfit: Int? { rare?.unfit.first }
    /// The object that a save united this one with, because of a constraint.
    var survivor: ManagedObject? { rare?.survivor }

    /// The destinations of an object that no context saves, by the index of the relationship.
    var held: [Int: [ManagedObject]] {
        get { rare?.held ?? [:] }
        set { makeRare().held = newValue }
    }

    /// The error of the last read or assignment that failed without a context.
    var lastError: (any Error)? {
        get { rare?.lastError }
        set { makeRare().lastError = newValue }
    }

    /// The assignments that were refused without a context, and not made since.
    var refused: [RefusedAssignment] { rare?.refused ?? [] }

    /// Records an assignment that was refused without a context.
    func refuse(_ assignment: RefusedAssignment) {
        let rare = makeRare()
        rare.lastError = assignment.error
        rare.refused.removeAll { $0.key == assignment.key }
        rare.refused.append(assignment)
    }

    /// The cached results of fetched properties, by name.
    var fetched: [String: [ObjectID]] {
        get { rare?.fetched ?? [:] }
        set { if rare != nil || !newValue.isEmpty { makeRare().fetched = newValue } }
    }

    var hasValues: Bool { !pending.isEmpty }
    var isEmpty: Bool { pending.isEmpty && !hasToManyStates && (!hasRare || fetched.isEmpty) }

    /// Whether a row holds all there is.
    var isOnlyPendingRow: Bool { !hasToManyStates && !hasRare && pending.isWholeRow }

    /// Returns whether the pending row holds all pending values, and those of some properties are not nil.
    func keeps(_ required: [PropertySlot]) -> Bool { !hasRare && pending.keeps(required) }

    func isPending(_ property: Int) -> Bool { pending.contains(property) }

    /// Makes a value pending, other than a default.
    func set(_ new: NewValue, of object: ManagedObject, _ pendingRows: PendingRows?, _: ChangeTracker.MutationToken) {
        let property = new.slot.property
        pending.set(new, of: object, pendingRows)
        rare?.didSet(property)
        if new.isUnfit { makeRare().unfit.append(property) }
        givenProperties.insert(property)
    }

    /// Makes a value pending where the pending row can hold it, and no other value is beside the row.
    ///
    /// - Returns: Whether it was.
    @inline(__always)
    func setSlot(
        _ value: Value, _ propertySlot: PropertySlot, _ scope: ObjectIDScope, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken
    ) -> Bool {
        guard !hasRare, pending.setSlot(value, propertySlot, scope, pendingRows) else { return false }
        givenProperties.insert(propertySlot.property)
        return true
    }

    /// Sets the slot of a number, as ``setSlot(_:_:_:_:_:)``.
    @inline(__always)
    func setWord(
        _ word: UInt64, _ propertySlot: PropertySlot, _ scope: ObjectIDScope, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken
    ) -> Bool {
        guard !hasRare, pending.setWord(word, propertySlot, scope, pendingRows) else { return false }
        givenProperties.insert(propertySlot.property)
        return true
    }

    /// Makes the destination of a to-one relationship without one pending, as ``setSlot(_:_:_:_:_:)`` an attribute's value.
    @inline(__always)
    func setReference(
        _ id: ObjectID, _ propertySlot: PropertySlot, of object: ManagedObject, _ context: ManagedObjectContext,
        _: ChangeTracker.MutationToken
    ) -> Bool {
        guard !hasRare, pending.setReference(id, propertySlot, object.objectID.scope, context) else { return false }
        givenProperties.insert(propertySlot.property)
        return true
    }

    /// Makes the destination of a to-one relationship pending, as ``setSlot(_:_:_:_:_:)`` an attribute's value.
    func setReference(
        _ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken
    ) -> Bool {
        guard !hasRare, pending.setReference(value, propertySlot, of: object, pendingRows) else { return false }
        givenProperties.insert(propertySlot.property)
        return true
    }

    /// Discards a pending value; the property still counts as set.
    func forget(_ property: Int, of entity: EntityDescription, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken) {
        pending.forget(property, entity, pendingRows)
        rare?.unfit.removeAll { $0 == property }
    }

    /// Returns the pending values for sharing; they are copied on the next write.
    func shareValues() -> UnsavedValues { pending.copy() }

    func dropValues(_: ChangeTracker.MutationToken) {
        pending = UnsavedValues()
        rare?.unfit = []
    }

    /// Drops the pending values that the row holds now; those of transient properties stay.
    func dropStoredValues(_ propertySlots: [PropertySlot], _: ChangeTracker.MutationToken) {
        if pending.isEmpty { return }
        pending.dropStored(propertySlots)
        rare?.unfit.removeAll { propertySlots[$0].slot != nil }
    }

    /// Returns the pending values as a new object's row; `nil` where the row is incomplete.
    func takeRow(of object: ManagedObject, exclusively isExclusive: Bool, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken)
        -> Row?
    {
        pending.take(object.objectID, exclusively: isExclusive, pendingRows)
    }

    func takeBackRow(of object: ManagedObject, _ given: GivenReferences, _ pendingRows: PendingRows, _: ChangeTracker.MutationToken) {
        pending.takeBack(of: object, given, pendingRows)
    }

    /// Takes the values of a row, for an object without any.
    func adopt(_ row: Row, _ given: PropertySet, of entity: EntityDescription, _ scopes: ObjectIDScopes?, _: ChangeTracker.MutationToken) {
        pending.adopt(row, entity, scopes)
        givenProperties.set = given
    }

    func setSurvivor(_ survivor: ManagedObject, _: ChangeTracker.MutationToken) { makeRare().survivor = survivor }

    /// Marks all values as defaults.
    func forgetGiven(_: ChangeTracker.MutationToken) { givenProperties.set = PropertySet() }

    func toMany(_ property: Int) -> ToManyState? {
        var state = firstState
        while let known = state {
            if known.property == property { return known }
            state = known.next
        }
        return nil
    }

    @inline(__always)
    func hasToMany(_ property: Int) -> Bool { withToMany(property) { _ in true } == true }

    /// Calls `body`, which runs no application code and adds no state, with the state of a to-many relationship, if any,
    /// without counting a reference.
    @inline(__always)
    func withToMany<Result>(_ property: Int, _ body: (ToManyState) -> Result) -> Result? {
        var state = firstStateReference
        while let known = unsafe state {
            if unsafe known._withUnsafeGuaranteedRef({ $0.property == property }) { return unsafe known._withUnsafeGuaranteedRef(body) }
            unsafe state = known._withUnsafeGuaranteedRef { unsafe $0.next.map { unsafe Unmanaged.passUnretained($0) } }
        }
        return nil
    }

    func add(_ state: ToManyState) {
        guard unsafe firstStateReference != nil else { return firstStateReference = unsafe Unmanaged.passRetained(state) }
        guard var last = firstState else { return }
        while let next = last.next { last = next }
        last.next = state
    }

    var hasToManyStates: Bool { unsafe firstStateReference != nil }

    var toManyStates: ToManyStates { ToManyStates(state: firstState) }

    func dropRelationships(_: ChangeTracker.MutationToken, except isKept: (ToManyState) -> Bool = { _ in false }) {
        // Dropped ones keep their successor, for iterations.
        let kept = toManyStates.filter { isKept($0.state) }.map(\.state)
        firstState = kept.first
        for (state, next) in zip(kept, kept.dropFirst()) { state.next = next }
        kept.last?.next = nil
    }

    func copy() -> ObjectExtra {
        let copy = ObjectExtra()
        copy.pending = pending.copy()
        copy.givenProperties.set = given
        if let rare {
            let rareCopy = copy.makeRare()
            rareCopy.unfit = rare.unfit
            rareCopy.survivor = rare.survivor
            rareCopy.fetched = rare.fetched
        }
        for (_, state) in toManyStates { copy.add(ToManyState(copying: state)) }
        return copy
    }

    /// Drops all but the to-many relationships with changes.
    func forgetValues(_ token: ChangeTracker.MutationToken) {
        pending = UnsavedValues()
        rare = nil
        dropRelationships(token) { $0.hasChanges }
        forgetGiven(token)
    }

    /// Replaces IDs of objects: of new ones, which only changes reference, or of any.
    func rename(
        of object: ManagedObject, _ newID: (ObjectID) -> ObjectID, _ pendingRows: PendingRows, _ token: ChangeTracker.MutationToken,
        all: Bool = false
    ) {
        pending.rename(of: object, newID, pendingRows)
        for (_, state) in toManyStates where all || state.hasChanges { state.rename(newID, token) }
    }

    func didSave(_ object: ManagedObject, _ ids: SavedIDs, _ pendingRows: PendingRows, _ token: ChangeTracker.MutationToken) {
        for (_, state) in toManyStates { state.didSave(ids, token) }
        dropStoredValues(object.entity.propertySlots, token)
        if !pending.isEmpty { pending.rename(of: object, { ids[$0] }, pendingRows) }
    }
}

extension Value {
    /// Returns whether every attribute whose slot is of a kind holds the value, or nil, unchanged.
    @inline(__always)
    func fits(_ kind: SlotKind) -> Bool {
        switch self {
        case .null: true
        case .string: kind == .string
        default: fitsAll(kind)
        }
    }
}
