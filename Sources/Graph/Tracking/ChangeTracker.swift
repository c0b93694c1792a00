import StrataModel
import StrataStore

/// What a context's next save will say: one part of a context, and the one door that every mutation passes.
///
/// Whatever sets, relates, inserts, deletes, refreshes, rolls back or merges, comes by here, so that there is one place from which undo,
/// events and the saves of child contexts see all of it. The compiler holds the door: what mutates an object's pending state, be it a
/// value (``ObjectExtra``), a destination (``ToManyState``) or a flag (``ObjectFlags``), asks for a ``Pass``, and only this file makes one.
///
/// The tracker keeps the list of changed objects, the deletions whose rules are still to be followed, and the stores that new objects were
/// assigned to. It reads no row, knows no coordinator, and makes no object. Others decide what a mutation means for the objects around it
/// (inverses in ``ManagedObject``, delete rules in ``DeletionPropagator``, conflicts in ``ConflictResolver``), and make each of its steps
/// here. Of reads that failed it knows that a change may come of them: it tells ``FailedAccesses``.
final class ChangeTracker {
    /// Says that a mutation came by the tracker.
    struct Pass {
        fileprivate init() {}
    }

    /// All objects with changes, in the order of their first change.
    var changed: [ManagedObject] { list.objects }
    @safe @exclusivity(unchecked) private var list = ChangeList()
    /// The objects changed while somebody wants to know; `nil` at other times.
    @safe @exclusivity(unchecked) private var noted: [ManagedObject]?
    private var deletions = PendingDeletions()
    /// Whether any object may have been deleted that was never saved.
    private(set) var hasForgotten = false
    /// Whether an object hears that its values came.
    @safe @exclusivity(unchecked) private var isAwaking = false
    /// The stores that new objects were assigned to, by temporary reference.
    private var assignedStoreIDs: [Int64: StoreID] = [:]
    /// Objects that the next save compares with their stores, though it does not change them.
    private(set) var watched: [ManagedObject] = []
    /// What objects were before their changes; only where there is an undo manager.
    @safe @exclusivity(unchecked) var journal: ChangeJournal?
    /// What became of objects since the last event; only where somebody listens.
    @safe @exclusivity(unchecked) var recorder: ChangeRecorder?
    private let failures: FailedAccesses
    private let drafts: RowDrafts

    init(_ model: ManagedObjectModel, _ failures: FailedAccesses) {
        self.failures = failures
        drafts = RowDrafts(model)
    }

    // MARK: - Values

    /// Makes a value pending, and the object changed; a value that awakening sets is none that a save would store by itself.
    ///
    /// - Parameter isUnfit: Whether the attribute cannot hold the value: the object cannot be saved with it.
    func set(_ value: Value, _ place: PropertyPlace, of object: ManagedObject, isUnfit: Bool = false) {
        let isChange =
            !object.isGone && (!isAwaking || object.entity.properties[place.property].relationship?.isTransient == false)
        if isChange { willChange(place.property, of: object) }
        if isChange { journal?.willSet(place.property, of: object) }
        // Setting a value again that is pending is nothing to tell of: an object that does so before each save rests.
        let isAgain = noted != nil && object.pendingValue(place.property) == value
        object.makeExtra().set(value, place, of: object, isUnfit: isUnfit, drafts, Pass())
        if isChange { noteChange(of: object, isAgain: isAgain) }
    }

    /// Has an object hold a value that is no change by itself: nobody is told, and the next save of the object stores it.
    func setPrimitive(_ value: Value, _ place: PropertyPlace, of object: ManagedObject) {
        object.makeExtra().set(value, place, of: object, drafts, Pass())
    }

    /// Has an object's own end of a to-many relationship lead to some objects, in their order, without telling anybody.
    func setPrimitiveMembers(_ ids: [ObjectID], _ state: ToManyState) {
        let kept = Set(ids)
        for id in state.members where !kept.contains(id) { _ = state.remove(id, Pass()) }
        for id in ids where !state.contains(id) { _ = state.add(id, Pass()) }
        state.reorder(ids, Pass())
    }

    /// Takes note that a property is about to be changed by its object's own accessor.
    func willChange(_ property: PropertyDescription, of object: ManagedObject) {
        guard let journal else { return }
        if case .relationship(let relationship) = property, relationship.isToMany {
            journal.willChangeMembers(relationship, object.state(relationship), of: object)
        } else {
            journal.willSet(property.index, of: object)
        }
    }

    /// Takes note that a property was changed by its object's own accessor.
    func didChange(_ property: PropertyDescription, of object: ManagedObject) {
        if !object.isGone && (!isAwaking || property.relationship?.isTransient == false) { noteChange(of: object) }
    }

    /// Has an object that no context saves keep a value itself: nobody is told.
    static func keep(_ value: Value, _ place: PropertyPlace, in object: ManagedObject, isUnfit: Bool = false) {
        object.makeExtra().set(value, place, of: object, isUnfit: isUnfit, nil, Pass())
    }

    /// Has a composite attribute be pending as a whole where any of its elements is, before the object gets another row: it is one value, and
    /// elements of two are none that anybody gave it.
    func completeComposites(of object: ManagedObject) {
        if object.entity.compositeAttributes.isEmpty { return }
        guard let extra = object.extra, object.row != nil else { return }
        for composite in object.entity.compositeAttributes where composite.attributes.contains(where: { extra.isPending($0.index) }) {
            for attribute in composite.attributes where attribute.slot != nil && !extra.isPending(attribute.index) {
                let place = object.entity.places[attribute.index]
                extra.set(object.storedValue(place), place, of: object, drafts, Pass())
            }
        }
    }

    /// Forgets a pending value, so that the row's counts again; whether the object is changed stays as it is.
    func forget(_ property: Int, of object: ManagedObject) { object.extra?.forget(property, of: object.entity, drafts, Pass()) }

    /// Forgets the pending values that a row has a place for, as what an object set when it awoke.
    func forgetStoredValues(of object: ManagedObject) { object.extra?.dropStoredValues(object.entity.places, Pass()) }

    /// Has an object be without what it held itself, as a context takes it in.
    static func empty(_ object: ManagedObject) { object.setExtra(nil, Pass()) }

    // MARK: - Destinations of to-many relationships

    /// Adds a destination, on the object's own side.
    func add(_ id: ObjectID, to relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        journal?.willChangeMembers(relationship, state, of: object)
        let isKnown = journal != nil && state.contains(id)
        willChange(relationship.index, of: object)
        guard state.add(id, Pass()), !(isAwaking && relationship.isTransient) else { return }
        if !isKnown { journal?.didAdd(id, to: relationship, of: object) }
        noteChange(of: object)
    }

    /// Removes a destination, on the object's own side.
    func remove(_ id: ObjectID, from relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        journal?.willChangeMembers(relationship, state, of: object)
        willChange(relationship.index, of: object)
        guard state.remove(id, Pass()), !(isAwaking && relationship.isTransient) else { return }
        journal?.didRemove(id, from: relationship, of: object)
        noteChange(of: object)
    }

    /// Removes a destination that was added, so that it was not where no save stored it.
    func takeBackAddition(of id: ObjectID, to relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        guard state.isAdded(id) else {
            if state.isLoaded && state.contains(id) { remove(id, from: relationship, state, of: object) }
            return
        }
        journal?.willChangeMembers(relationship, state, of: object)
        willChange(relationship.index, of: object)
        state.forgetAddition(of: id, Pass())
        journal?.didRemove(id, from: relationship, of: object)
        noteChange(of: object)
    }

    /// Adds a destination that was removed, so that it was not where no save stored it.
    func takeBackRemoval(of id: ObjectID, from relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        guard state.isRemoved(id) else { return add(id, to: relationship, state, of: object) }
        journal?.willChangeMembers(relationship, state, of: object)
        willChange(relationship.index, of: object)
        state.forgetRemoval(of: id, Pass())
        journal?.didAdd(id, to: relationship, of: object)
        noteChange(of: object)
    }

    /// Puts the destinations of an ordered relationship in another order.
    func reorder(_ ids: [ObjectID], of relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject) {
        if state.order == ids { return }
        journal?.willChangeMembers(relationship, state, of: object)
        willChange(relationship.index, of: object)
        state.reorder(ids, Pass())
        noteChange(of: object)
    }

    /// Takes back that a destination was added.
    func forgetAddition(of id: ObjectID, to state: ToManyState?) { state?.forgetAddition(of: id, Pass()) }

    /// Takes back that a saved destination was removed.
    func forgetRemoval(of id: ObjectID, from state: ToManyState?) { state?.forgetRemoval(of: id, Pass()) }

    /// Has what an object keeps of its relationships, but for transient ones, be forgotten.
    func forgetDestinations(of object: ManagedObject) {
        object.extra?.dropRelationships(Pass()) { object.entity.properties[$0].relationship?.isTransient != false }
    }

    // MARK: - Inserting and deleting

    /// Makes an object a new one, with the model's default values.
    ///
    /// - Parameter isBegun: Whether it has the values already that it gives itself to begin with.
    func insert(_ object: ManagedObject, isBegun: Bool = false) {
        journal?.willChangeExistence(of: object, existed: false)
        recorder?.didCome(object)
        object.mark(.inserted, Pass())
        let extra = setDefaults(of: object)
        noted?.append(object)
        list.add(object, Pass())
        failures.noteChange()
        if !isBegun { object.setInitialValues() }
        object.awakeFromInsert()
        // What an object gives itself is a default like those of the model.
        extra.forgetGiven(Pass())
    }

    /// Makes an object a new one with the values of a row, which a child context gave it: it awakes as a fetched one does.
    ///
    /// - Parameters:
    ///   - given: The values that somebody set, other than by defaults.
    ///   - scopes: Those of the store that the object goes to, where the row has references.
    func adopt(_ object: ManagedObject, _ row: Row, _ given: PropertySet, _ scopes: ObjectIDScopes?) {
        journal?.willChangeExistence(of: object, existed: false)
        recorder?.didCome(object)
        object.mark([.inserted, .fault], Pass())
        object.makeExtra().adopt(row, given, of: object.entity, scopes, Pass())
        noted?.append(object)
        list.add(object, Pass())
        failures.noteChange()
    }

    /// Makes an object that comes back a new one, without values.
    func bringBack(_ object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false)
        recorder?.didCome(object)
        object.mark(.inserted, clearing: .all, Pass())
        setDefaults(of: object)
        noted?.append(object)
        list.add(object, Pass())
        failures.noteChange()
    }

    /// Gives a new object the model's default values.
    @discardableResult
    private func setDefaults(of object: ManagedObject) -> ObjectExtra {
        let extra = object.makeExtra()
        for attribute in object.entity.attributes where !attribute.defaultValue.isNull {
            extra.set(attribute.defaultValue, object.entity.places[attribute.index], of: object, drafts, Pass())
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
            object.mark(.leaving, Pass())
            object.prepareForDeletion()
            object.mark(clearing: .leaving, Pass())
        }
        guard object.managedObjectContext === context, !object.isDeleted else { return }
        journal?.willChangeExistence(of: object, existed: true)
        recorder?.didGo(object)
        failures.noteChange()
        object.mark(.deleted, Pass())
        if object.isNew { hasForgotten = true }
        noted?.append(object)
        list.add(object, Pass())
        deletions.add(object)
    }

    /// Has an object not be deleted by the next save after all; its pending values stay.
    func takeBackDeletion(of object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false)
        recorder?.didCome(object)
        failures.noteChange()
        deletions.remove(object)
        object.mark(clearing: [.deleted, .propagated], Pass())
        noted?.append(object)
        if !object.hasChanges { list.remove(object, Pass()) }
    }

    /// An object whose delete rules are still to be followed, the latest first.
    func nextDeletion() -> ManagedObject? { deletions.next() }

    /// Whether the delete rules of any object may still have to be followed.
    var hasDeletions: Bool { !deletions.isEmpty }

    /// Takes note that the delete rules of an object were followed.
    func didFollowRules(of object: ManagedObject) { object.mark(.propagated, Pass()) }

    /// Has the delete rules of an object that is about to be deleted be followed once more, as it is related to others since.
    func followRulesAgain(of object: ManagedObject) {
        guard object.flags.isSuperset(of: [.deleted, .propagated]), !object.isGone else { return }
        object.mark(clearing: .propagated, Pass())
        deletions.add(object)
    }

    /// Takes a deletion back, and the values that were pending.
    func revive(_ object: ManagedObject) {
        object.mark(clearing: [.deleted, .propagated, .inaccessible], Pass())
        object.extra?.dropValues(Pass())
    }

    /// The store that a new object was assigned to.
    func assignedStoreID(of object: ManagedObject) -> StoreID? {
        assignedStoreIDs.isEmpty ? nil : assignedStoreIDs[object.objectID.reference]
    }

    /// Whether any new object was assigned to a store.
    var hasAssignedStores: Bool { !assignedStoreIDs.isEmpty }

    /// Has a new object go to a store.
    func assign(_ object: ManagedObject, to storeID: StoreID) { assignedStoreIDs[object.objectID.reference] = storeID }

    /// Has the next save compare an object with its store.
    func watch(_ object: ManagedObject) { if !watched.contains(where: { $0 === object }) { watched.append(object) } }

    // MARK: - Refreshing, merging, rolling back

    /// Has an object be without changes of its own row; others that they concern are left to the caller.
    func forgetRowChanges(of object: ManagedObject) {
        object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], Pass())
        object.markLoading(.fault)
        deletions.remove(object)
        list.remove(object, Pass())
    }

    /// Forgets the values of an object, but for changes of its to-many relationships.
    func forgetValues(of object: ManagedObject) {
        object.extra?.forgetValues(Pass())
        if object.extra?.isEmpty == true { object.setExtra(nil, Pass()) }
    }

    /// Has an object be one whose row someone else deleted.
    func becomeDeleted(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder?.didGo(object)
        object.setExtra(nil, Pass())
        object.mark([.inaccessible, .deleted], clearing: [.updated, .propagated, .fault], Pass())
        deletions.remove(object)
        list.remove(object, Pass())
    }

    /// Has an object whose row turned out to be gone count as deleted: there is nothing to save of it.
    func countAsDeleted(_ object: ManagedObject) { object.mark(.deleted, Pass()) }

    /// Has an object whose row was gone be a fault again: there is a row.
    func comeBack(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder?.didCome(object)
        object.setExtra(nil, Pass())
        object.mark(.fault, clearing: [.inaccessible, .deleted], Pass())
    }

    /// Has an object that someone else deleted be inserted by the next save.
    func makeAnew(_ object: ManagedObject) { object.mark(.inserted, clearing: .updated, Pass()) }

    /// Has a new object be one that was saved, with what was set since as its changes.
    func becomeSaved(_ object: ManagedObject) {
        forgetDestinations(of: object)
        object.mark(clearing: .inserted, Pass())
        noteChange(of: object)
    }

    /// Has a new object be part of another one from the next save on.
    func unite(_ new: ManagedObject, with survivor: ManagedObject) {
        recorder?.didGo(new)
        new.extra?.setSurvivor(survivor, Pass())
        new.mark([.deleted, .propagated], Pass())
    }

    /// Has no object have changes.
    ///
    /// - Returns: The new objects, which no context saves any more.
    func rollback() -> [ManagedObject] {
        let changed = reset()
        for object in changed where !object.isNew { dropChanges(of: object) }
        return changed.filter(\.isNew)
    }

    /// Has a saved object be without changes; one whose row was gone is a fault again, which looks for it when it fires.
    private func dropChanges(of object: ManagedObject) {
        willReplaceValues(of: object, object.isDeleted ? nil : object.changedProperties)
        if object.isDeleted { recorder?.didCome(object) }
        object.extra?.dropValues(Pass())
        object.extra?.dropRelationships(Pass())
        if object.isGone {
            object.row = nil
            object.markLoading(.fault)
        }
        object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], Pass())
    }

    /// Empties an object that no context saves any more; one that became part of another counts as deleted, and keeps its values.
    func clear(_ object: ManagedObject, isUnited: Bool = false) {
        list.remove(object, Pass())
        object.mark(isUnited ? .deleted : [], clearing: .all, Pass())
        if isUnited, let row = object.row, object.extra?.hasValues != true {
            object.makeExtra().adopt(row, PropertySet(), of: object.entity, nil, Pass())
        }
        object.row = nil
        if isUnited { object.extra?.dropRelationships(Pass()) } else { object.setExtra(nil, Pass()) }
    }

    /// Forgets everything.
    ///
    /// - Returns: The objects that were changed, which nobody else may hold.
    func reset() -> [ManagedObject] {
        deletions.removeAll()
        assignedStoreIDs = [:]
        watched = []
        hasForgotten = false
        failures.removeAll()
        drafts.letGo()
        return list.takeAll(Pass())
    }

    // MARK: - Saving

    /// Has saved objects be unchanged that are as they were saved.
    func settle(_ objects: [ManagedObject]) {
        var settled = false
        for object in objects where object.isUpdated && !object.isGone && !object.hasPersistentChangedValues {
            forgetStoredValues(of: object)
            object.mark(clearing: .updated, Pass())
            settled = true
        }
        if settled { list.keepChanged(Pass()) }
    }

    /// The row that a save inserts for an object without one; `nil` where its pending values are not all of it.
    func takeRow(of object: ManagedObject) -> Row? {
        object.makeExtra().takeRow(of: object, drafts, Pass())
    }

    /// Has nothing be changed, as a save stored it; what the saved objects hold is for ``didSave(_:_:)``.
    ///
    /// - Returns: The objects that were changed.
    func takeSaved() -> [ManagedObject] {
        assignedStoreIDs = [:]
        watched = []
        hasForgotten = false
        drafts.letGo()
        return list.takeAll(Pass())
    }

    /// Has a saved object be without changes, and name others by what their IDs are after the save.
    func didSave(_ object: ManagedObject, _ newID: (ObjectID) -> ObjectID) {
        object.extra?.didSave(object, newID, drafts, Pass())
        if object.extra?.isEmpty == true { object.setExtra(nil, Pass()) }
        // A fault that only gained or lost destinations stays one.
        object.mark(clearing: [.inserted, .updated], Pass())
    }

    /// Has the changes name objects by other IDs.
    func rename(_ newID: (ObjectID) -> ObjectID) {
        for object in changed { object.extra?.rename(of: object, newID, drafts, Pass()) }
    }

    /// Has what is known of an object name others by other IDs, be it changed or not.
    func rename(_ object: ManagedObject, _ newID: (ObjectID) -> ObjectID) {
        object.extra?.rename(of: object, newID, drafts, Pass(), all: true)
    }

    /// Has the objects be as they were at an earlier moment; others without changes.
    ///
    /// Their IDs and contexts are left to the caller.
    func restore(_ snapshot: ChangeSnapshot) {
        for object in list.takeAll(Pass()) { dropChanges(of: object) }
        snapshot.restore(Pass())
        for object in snapshot.objects { list.add(object, Pass()) }
        deletions.keepDeleted()
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

    // MARK: - Observation

    /// Tells whoever wants to know that a value, or the members of a relationship, are about to change.
    @inline(__always)
    private func willChange(_ property: Int, of object: ManagedObject) {
        if object.flags.contains(.observed) { object.announceChange(property) }
        recorder?.didChange(property, of: object)
    }

    /// Runs `body`, whose changes are not the user's.
    func unjournaled<R>(_ body: () throws -> R) rethrows -> R {
        guard let journal else { return try body() }
        return try journal.pausing(body)
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
            object.mark(.updated, Pass())
            list.add(object, Pass())
        }
    }
}
