import StrataModel
import StrataStore

/// What a context's next save will say: one part of a context, and the one door that every mutation passes.
///
/// Whatever sets, relates, inserts, deletes, refreshes, rolls back or merges, comes by here, so that there is one place from which undo,
/// events and the saves of child contexts see all of it. The compiler holds the door: what mutates an object's pending state, be it a
/// value (``ObjectExtra``), a destination (``ToManyState``) or a flag (``ObjectFlags``), asks for a ``MutationToken``, and only this file makes one: the tracker's
/// other files, one for each kind of mutation, are lent it.
///
/// The tracker keeps the list of changed objects, the deletions whose rules are still to be followed, and the stores that new objects were
/// assigned to. It reads no row, knows no coordinator, and makes no object. Others decide what a mutation means for the objects around it
/// (inverses in ``ManagedObject``, delete rules in ``DeletionPropagator``, conflicts in ``ConflictResolver``), and make each of its steps
/// here. Of reads that failed it knows that a change may come of them: it tells ``FailedAccesses``.
final class ChangeTracker {
    /// Proves that a mutation passes the tracker: only this file creates one.
    struct MutationToken {
        fileprivate init() {}
    }

    /// All objects with changes, in the order of their first change.
    var changed: [ManagedObject] { list.objects }
    @safe @exclusivity(unchecked) var list = ChangeList()
    /// The objects changed while somebody wants to know; `nil` at other times.
    @safe @exclusivity(unchecked) private var noted: [ManagedObject]?
    /// The deletions whose rules are still to be followed.
    var deletions = PendingDeletions()
    /// Whether any object may have been deleted that was never saved.
    var hasForgotten: Bool { deletions.includesNewObjects }
    /// Whether an object hears that its values came.
    @safe @exclusivity(unchecked) private var isAwaking = false
    /// The stores that new objects were assigned to, by temporary reference.
    private var assignedStoreIDs: [Int64: StoreID] = [:]
    /// Objects that the next save compares with their stores, though it does not change them.
    private(set) var watched: [ManagedObject] = []
    /// The owners that the store gives members whose rows here are older, by the members' IDs.
    var ownersOfOlderRows: [ObjectID: [(owner: ManagedObject, relationship: RelationshipDescription)]] = [:]
    /// What objects were before their changes; only where there is an undo manager.
    @safe @exclusivity(unchecked) var journal: ChangeJournal?
    /// What became of objects since the last event; only where somebody listens.
    @safe @exclusivity(unchecked) var recorder: ChangeRecorder?
    /// The objects that were asked about last and nobody hears of: most neighbours are of one entity.
    @safe @exclusivity(unchecked) private var unheard: ObjectIDScope?
    private let failures: FailedAccesses
    let drafts: RowDrafts

    init(_ model: ManagedObjectModel, _ failures: FailedAccesses) {
        self.failures = failures
        drafts = RowDrafts(model)
    }

    // MARK: - Values

    /// Makes a value pending, and the object changed; a value that awakening sets is none that a save would store by itself.
    ///
    /// - Parameter isUnfit: Whether the attribute cannot hold the value: the object cannot be saved with it.
    func set(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, isUnfit: Bool = false) {
        let isChange =
            !object.isGone && (!isAwaking || object.entity.properties[propertySlot.property].relationship?.isTransient == false)
        if isChange { willChange(propertySlot.property, of: object) }
        if isChange { journal?.willSet(propertySlot.property, of: object) }
        // Setting a value again that is pending is nothing to tell of: an object that does so before each save rests.
        let isAgain = noted != nil && object.pendingValue(propertySlot.property) == value
        object.makeExtra().set(value, propertySlot, of: object, isUnfit: isUnfit, drafts, MutationToken())
        if isChange { noteChange(of: object, isAgain: isAgain) }
    }

    /// Has an object hold a value that is no change by itself: nobody is told, and the next save of the object stores it.
    func setPrimitive(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject) {
        object.makeExtra().set(value, propertySlot, of: object, drafts, MutationToken())
    }

    /// Takes note that a property is about to be changed by its object's own accessor.
    func willChange(_ property: PropertyDescription, of object: ManagedObject) {
        if !object.isGone && (!isAwaking || property.relationship?.isTransient == false) { willChange(property.index, of: object) }
        guard let journal else { return }
        if case .relationship(let relationship) = property, relationship.isToMany {
            journal.willChangeMembers(relationship, object.state(relationship), of: object, mayLose: true)
        } else {
            journal.willSet(property.index, of: object)
        }
    }

    /// Takes note that a property was changed by its object's own accessor.
    func didChange(_ property: PropertyDescription, of object: ManagedObject) {
        if !object.isGone && (!isAwaking || property.relationship?.isTransient == false) { noteChange(of: object) }
    }

    /// Has an object that no context saves keep a value itself: nobody is told.
    static func keep(_ value: Value, _ propertySlot: PropertySlot, in object: ManagedObject, isUnfit: Bool = false) {
        object.makeExtra().set(value, propertySlot, of: object, isUnfit: isUnfit, nil, MutationToken())
    }

    /// Has a composite attribute be pending as a whole where any of its elements is, before the object gets another row: it is one value, and
    /// elements of two are none that anybody gave it.
    func completeComposites(of object: ManagedObject) {
        if object.entity.compositeAttributes.isEmpty { return }
        guard let extra = object.extra, object.row != nil else { return }
        for composite in object.entity.compositeAttributes where composite.attributes.contains(where: { extra.isPending($0.index) }) {
            for attribute in composite.attributes where attribute.slot != nil && !extra.isPending(attribute.index) {
                let propertySlot = object.entity.propertySlots[attribute.index]
                extra.set(object.storedValue(propertySlot), propertySlot, of: object, drafts, MutationToken())
            }
        }
    }

    /// Forgets a pending value, so that the row's counts again; whether the object is changed stays as it is.
    func forget(_ property: Int, of object: ManagedObject) { object.extra?.forget(property, of: object.entity, drafts, MutationToken()) }

    /// Forgets the pending values that a row has a place for, as what an object set when it awoke.
    func forgetStoredValues(of object: ManagedObject) { object.extra?.dropStoredValues(object.entity.propertySlots, MutationToken()) }

    /// Has an object be without what it held itself, as a context takes it in.
    static func empty(_ object: ManagedObject) { object.setExtra(nil, MutationToken()) }

    // MARK: - Inserting and deleting

    /// Makes an object a new one, with the model's default values.
    ///
    /// - Parameter isBegun: Whether it has the values already that it gives itself to begin with.
    func insert(_ object: ManagedObject, isBegun: Bool = false) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark(.inserted, MutationToken())
        let extra = setDefaults(of: object)
        noted?.append(object)
        list.add(object, MutationToken())
        failures.noteChange()
        if !isBegun { object.setInitialValues() }
        object.awakeFromInsert()
        // What an object gives itself is a default like those of the model.
        extra.forgetGiven(MutationToken())
    }

    /// Makes an object a new one with the values of a row, which a child context gave it: it awakes as a fetched one does.
    ///
    /// - Parameters:
    ///   - given: The values that somebody set, other than by defaults.
    ///   - scopes: Those of the store that the object goes to, where the row has references.
    func adopt(_ object: ManagedObject, _ row: Row, _ given: PropertySet, _ scopes: ObjectIDScopes?) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark([.inserted, .fault], MutationToken())
        object.makeExtra().adopt(row, given, of: object.entity, scopes, MutationToken())
        noted?.append(object)
        list.add(object, MutationToken())
        failures.noteChange()
    }

    /// Makes an object that comes back a new one, without values.
    func bringBack(_ object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark(.inserted, clearing: .all, MutationToken())
        setDefaults(of: object)
        noted?.append(object)
        list.add(object, MutationToken())
        failures.noteChange()
    }

    /// Gives a new object the model's default values.
    @discardableResult
    private func setDefaults(of object: ManagedObject) -> ObjectExtra {
        let extra = object.makeExtra()
        for attribute in object.entity.attributes where !attribute.defaultValue.isNull {
            extra.set(attribute.defaultValue, object.entity.propertySlots[attribute.index], of: object, drafts, MutationToken())
        }
        return extra
    }

    /// Marks an object to be deleted, and its delete rules to be followed.
    ///
    /// - Parameter isAnnounced: Whether the object hears of it before.
    func delete(_ object: ManagedObject, isAnnounced: Bool = true) {
        guard let context = object.managedObjectContext, object.flags.isDisjoint(with: [.deleted, .leaving]) else { return }
        if isAnnounced {
            // Others that it deletes first may delete it, too.
            object.mark(.leaving, MutationToken())
            object.prepareForDeletion()
            object.mark(clearing: .leaving, MutationToken())
        }
        guard object.managedObjectContext === context, !object.isDeleted else { return }
        journal?.willChangeExistence(of: object, existed: true, hadValues: true)
        // Whoever it is: its delete rules may reach those that are heard of.
        recorder?.didGo(object)
        failures.noteChange()
        object.mark(.deleted, MutationToken())
        if object.isNew { deletions.includesNewObjects = true }
        noted?.append(object)
        list.add(object, MutationToken())
        deletions.add(object)
    }

    /// Has an object not be deleted by the next save after all; its pending values stay.
    func takeBackDeletion(of object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: true)
        recorder(of: object)?.didCome(object)
        failures.noteChange()
        deletions.remove(object)
        object.mark(clearing: [.deleted, .propagated], MutationToken())
        noted?.append(object)
        if !object.hasChanges { list.remove(object, MutationToken()) }
    }

    /// Returns the objects whose delete rules are still to be followed, the latest first.
    func nextDeletions() -> [ManagedObject] { deletions.next() }

    /// Whether the delete rules of any object may still have to be followed.
    var hasDeletions: Bool { !deletions.isEmpty }

    /// Takes note that the delete rules of an object were followed.
    func didFollowRules(of object: ManagedObject) { object.mark(.propagated, MutationToken()) }

    /// Has the delete rules of an object that is about to be deleted be followed once more, as it is related to others since.
    func followRulesAgain(of object: ManagedObject) {
        guard object.flags.isSuperset(of: [.deleted, .propagated]), !object.isGone else { return }
        object.mark(clearing: .propagated, MutationToken())
        deletions.add(object)
    }

    /// Returns the store that a new object was assigned to.
    func assignedStoreID(of object: ManagedObject) -> StoreID? {
        assignedStoreIDs.isEmpty ? nil : assignedStoreIDs[object.objectID.reference]
    }

    /// Whether any new object was assigned to a store.
    var hasAssignedStores: Bool { !assignedStoreIDs.isEmpty }

    /// Has a new object go to a store.
    func assign(_ object: ManagedObject, to storeID: StoreID) { assignedStoreIDs[object.objectID.reference] = storeID }

    /// Has the next save compare an object with its store.
    func watch(_ object: ManagedObject) { if !watched.contains(where: { $0 === object }) { watched.append(object) } }

    // MARK: - Starting anew

    /// Forgets everything.
    ///
    /// - Returns: The objects that were changed, which nobody else may hold.
    func reset() -> [ManagedObject] {
        deletions.removeAll()
        failures.removeAll()
        return takeSaved()
    }

    /// Has nothing be changed, as a save stored it; what the saved objects hold is for ``didSave(_:_:)``.
    ///
    /// - Returns: The objects that were changed.
    func takeSaved() -> [ManagedObject] {
        assignedStoreIDs = [:]
        ownersOfOlderRows = [:]
        watched = []
        deletions.includesNewObjects = false
        deletions.forgetCascades()
        drafts.letGo()
        return list.takeAll(MutationToken())
    }

    // MARK: - Awakening, and who wants to know

    /// Lets an object hear that its values came; what it sets its attributes to is no change.
    func awake(_ object: ManagedObject) { awaking { object.awakeFromFetch() } }

    /// Lets an object hear that its values were replaced; what it sets its attributes to is no change.
    func awake(_ object: ManagedObject, from events: SnapshotEvents) { awaking { object.awake(fromSnapshotEvents: events) } }

    private func awaking(_ body: () -> Void) {
        let wasAwaking = isAwaking
        isAwaking = true
        body()
        isAwaking = wasAwaking
    }

    // MARK: - The door

    /// Changes the destinations of a to-many relationship, on the object's own side, and tells whoever wants to know.
    ///
    /// - Parameters:
    ///   - mayLose: Whether one may go.
    ///   - body: Changes them; answers whether it did.
    ///   - told: Tells the journal what came or went.
    @inline(__always)
    func changeMembers(
        of relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject, mayLose: Bool = false,
        _ body: (MutationToken) -> Bool, told: (ChangeJournal) -> Void = { _ in }
    ) {
        journal?.willChangeMembers(relationship, state, of: object, mayLose: mayLose)
        willChange(relationship.index, of: object)
        guard body(MutationToken()), !(isAwaking && relationship.isTransient) else { return }
        if let journal { told(journal) }
        noteChange(of: object)
    }

    /// Lets the tracker's other files mutate what nobody is to hear of, or hears of from them.
    @inline(__always)
    func unannounced<R>(_ body: (MutationToken) throws -> R) rethrows -> R { try body(MutationToken()) }

    // MARK: - Observation

    /// Returns the recorder, where somebody hears of what is changed of an object.
    @inline(__always)
    func recorder(of object: ManagedObject) -> ChangeRecorder? {
        recorder == nil || object.objectID.scope === unheard ? nil : recorderHearing(object)
    }

    private func recorderHearing(_ object: ManagedObject) -> ChangeRecorder? {
        if let recorder, recorder.hears(object) { return recorder }
        unheard = object.objectID.scope
        return nil
    }

    /// Has what is changed of the objects of some entities be heard of, by their index.
    func hear(_ heard: [Bool]) {
        unheard = nil
        recorder?.hear(heard)
    }

    /// Tells whoever wants to know that a value, or the members of a relationship, are about to change.
    @inline(__always)
    private func willChange(_ property: Int, of object: ManagedObject) {
        if object.flags.contains(.observed) { object.announceChange(property) }
        // That one is new is all that is told of it.
        if !object.flags.contains(.newcomer) { recorder(of: object)?.willChange(property, of: object) }
    }

    /// Runs `body`, whose changes are not the user's.
    func unjournaled<R>(_ body: () throws -> R) rethrows -> R {
        guard let journal else { return try body() }
        return try journal.pausing(body)
    }

    /// Runs `body`, whose changes follow from the deletion of an object: an undo takes them back with it.
    func asConsequence<R>(of deleted: ManagedObject, _ body: () throws -> R) rethrows -> R {
        guard let journal else { return try body() }
        return try journal.keepingConsequences(of: deleted, body)
    }

    /// Runs `body`, and tells which objects were changed in it, each once.
    func noting(_ body: () throws -> Void) rethrows -> [ManagedObject] {
        let before = noted
        noted = []
        defer { noted = before }
        try body()
        var seen: Set<ObjectIdentifier> = []
        return (noted ?? []).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Takes note that an object has changes, though none of its values need have changed.
    func noteChange(of object: ManagedObject, isAgain: Bool = false) {
        if !isAgain { noted?.append(object) }
        failures.noteChange()
        if !object.flags.contains(.updated) {
            object.mark(.updated, MutationToken())
            list.add(object, MutationToken())
        }
    }
}
