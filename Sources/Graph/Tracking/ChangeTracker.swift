import StrataModel
import StrataStore

/// The unsaved changes of a context, and the only way to change objects.
///
/// All that sets, relates, inserts, deletes, refreshes, rolls back or merges passes here, so that undo, events and the
/// saves of child contexts see all of it. The compiler ensures it: what mutates an object's pending state, be it a
/// value ( ``ObjectExtra``), a destination ( ``ToManyState``) or a flag ( ``ObjectFlags``), requires a
/// ``MutationToken``, which only this file creates, for the tracker's other files too, one for each kind of mutation.
///
/// The tracker keeps the list of changed objects, the deletions whose rules are still to be applied, and the stores
/// assigned to new objects. It reads no row, knows no coordinator, and makes no object. Other parts decide on the
/// consequences of a mutation (inverses in ``ManagedObject``, delete rules in ``DeletionPropagator``, conflicts in
/// ``ConflictResolver``), and make each of their steps here. As a change may result from failed reads, it notifies
/// ``FailedAccesses``.
final class ChangeTracker {
    /// Proves that a mutation passes the tracker: only this file creates one.
    struct MutationToken {
        fileprivate init() {}
    }

    /// The scopes that were tested last: most neighbours are of one entity.
    struct PlainScopes {
        /// An entity without listeners.
        var unobserved: ObjectIDScope?
        /// An entity without default values.
        var withoutDefaults: ObjectIDScope?
    }

    var changed: [ManagedObject] { list.objects }
    /// Whether no object is in the list of changed ones, which is not brought up to date for that.
    var isUnchanged: Bool { list.isEmpty }
    @safe @exclusivity(unchecked) var list = ChangeList()
    /// The objects that change while `noting(_:)` runs; else `nil`.
    @safe @exclusivity(unchecked) var noted: [ManagedObject]?
    @safe @exclusivity(unchecked) var deletions = PendingDeletions()
    /// Whether any object may have been deleted that was never saved.
    var hasForgotten: Bool { deletions.includesNewObjects }
    /// Whether an object's `awakeFromFetch()` or `awake(fromSnapshotEvents:)` runs.
    @safe @exclusivity(unchecked) private var isAwaking = false
    @safe @exclusivity(unchecked) var assignedStoreIDs: [Int64: StoreID] = [:]
    /// Objects for the optimistic-lock check of the next save, without changes.
    @safe @exclusivity(unchecked) var watched = DistinctObjects()
    /// The owners in the store of members whose rows here are older, by the members' IDs.
    @safe @exclusivity(unchecked) var ownersOfOlderRows: [ObjectID: [(owner: ManagedObject, relationship: RelationshipDescription)]] = [:]
    /// The states of objects before their changes; only with an undo manager.
    @safe @exclusivity(unchecked) var journal: ChangeJournal?
    /// The changes of objects since the last event; only with listeners.
    @safe @exclusivity(unchecked) var recorder: ChangeRecorder?
    @safe @exclusivity(unchecked) var plainScopes = PlainScopes()
    let failures: FailedAccesses
    let pendingRows: PendingRows

    init(_ model: ManagedObjectModel, _ failures: FailedAccesses) {
        self.failures = failures
        pendingRows = PendingRows(model)
    }

    // MARK: - Values

    /// Makes a value pending and the object changed; in `awakeFromFetch()` the object stays unchanged.
    ///
    /// - Parameter isUnfit: Whether the attribute cannot hold the value: the object cannot be saved with it.
    func set(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, isUnfit: Bool = false) {
        let isChange =
            !object.isInaccessible && (!isAwaking || object.entity.properties[propertySlot.property].relationship?.isTransient == false)
        if isChange { willChange(propertySlot.property, of: object) }
        if isChange { journal?.willSet(propertySlot.property, of: object) }
        // Setting a pending value again is no change: an object that does so before each save is stable.
        let isAgain = noted != nil && object.pendingValue(propertySlot.property) == value
        object.makeExtra().set(NewValue(value: value, slot: propertySlot, isUnfit: isUnfit), of: object, pendingRows, MutationToken())
        if let index = list.indexes.referrers, let id = value.objectID { index.add(object, referencing: id) }
        if isChange { noteChange(of: object, isAgain: isAgain) } else { list.indexes.pending?.touch(object) }
    }

    /// Sets a value in the pending row of an object that is not observed, as most assignments do: it counts no
    /// reference.
    ///
    /// - Returns: Whether the value is set; else ``set(_:_:of:isUnfit:)`` does all that is to be done.
    func setSlot(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject) -> Bool {
        guard records(nothingOf: object) else { return false }
        object.beginExtra(MutationToken())
        let scope = object.objectID.scope
        guard object.withExtra({ $0.setSlot(value, propertySlot, scope, pendingRows, MutationToken()) }) == true else { return false }
        notePlainChange(of: object)
        return true
    }

    /// Sets the slot of a number, as ``setSlot(_:_:of:)``.
    @inline(__always)
    func setWord(_ word: UInt64, _ propertySlot: PropertySlot, of object: ManagedObject) -> Bool {
        guard records(nothingOf: object) else { return false }
        object.beginExtra(MutationToken())
        let scope = object.objectID.scope
        guard object.withExtra({ $0.setWord(word, propertySlot, scope, pendingRows, MutationToken()) }) == true else { return false }
        notePlainChange(of: object)
        return true
    }

    /// Makes the destination of a to-one relationship pending, as ``setSlot(_:_:of:)`` an attribute's value.
    func setReference(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject) -> Bool {
        guard object.flags.rawValue & ObjectFlags.unread == 0, records(nothingOf: object), list.indexes.referrers == nil else {
            return false
        }
        object.beginExtra(MutationToken())
        guard object.withExtra({ $0.setReference(value, propertySlot, of: object, pendingRows, MutationToken()) }) == true
        else { return false }
        notePlainChange(of: object)
        return true
    }

    /// Whether no undo manager, listener or caller has to know of a change of an object's value.
    @inline(__always)
    func records(nothingOf object: ManagedObject) -> Bool {
        journal == nil && noted == nil && !isAwaking && (recorder == nil || object.flags.contains(.newcomer))
    }

    /// Marks an object as changed of which ``records(nothingOf:)`` is true.
    @inline(__always)
    func notePlainChange(of object: ManagedObject) {
        guard object.flags.contains(.updated) else { return noteChange(of: object) }
        failures.noteChange()
        list.indexes.pending?.touch(object)
    }

    /// Sets a value without a change or notification; the next save of the object stores it.
    func setPrimitive(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject) {
        object.makeExtra().set(NewValue(value: value, slot: propertySlot), of: object, pendingRows, MutationToken())
        if let index = list.indexes.referrers, let id = value.objectID { index.add(object, referencing: id) }
        list.indexes.pending?.touch(object)
    }

    /// Records that the object's own accessor is about to change a property.
    func willChange(_ property: PropertyDescription, of object: ManagedObject) {
        if !object.isInaccessible && (!isAwaking || property.relationship?.isTransient == false) { willChange(property.index, of: object) }
        guard let journal else { return }
        if case .relationship(let relationship) = property, relationship.isToMany {
            journal.willChangeMembers(relationship, object.state(relationship), of: object, mayLose: true)
        } else {
            journal.willSet(property.index, of: object)
        }
    }

    /// Records that the object's own accessor changed a property.
    func didChange(_ property: PropertyDescription, of object: ManagedObject) {
        if !object.isInaccessible && (!isAwaking || property.relationship?.isTransient == false) { noteChange(of: object) }
    }

    /// Sets a value of an object that no context saves, without notification.
    static func keep(_ value: Value, _ propertySlot: PropertySlot, in object: ManagedObject, isUnfit: Bool = false) {
        object.makeExtra().set(NewValue(value: value, slot: propertySlot, isUnfit: isUnfit), of: object, nil, MutationToken())
    }

    /// Completes pending composite attributes before the object gets another row: one is a single value, whose elements
    /// must not be of two rows.
    func completeComposites(of object: ManagedObject) {
        if object.entity.compositeAttributes.isEmpty { return }
        guard let extra = object.extra, object.row != nil else { return }
        for composite in object.entity.compositeAttributes where composite.attributes.contains(where: { extra.isPending($0.index) }) {
            for attribute in composite.attributes where attribute.slot != nil && !extra.isPending(attribute.index) {
                let propertySlot = object.entity.propertySlots[attribute.index]
                extra.set(NewValue(value: object.storedValue(propertySlot), slot: propertySlot), of: object, pendingRows, MutationToken())
            }
        }
    }

    /// Discards a pending value; whether the object is changed stays as it is.
    func forget(_ property: Int, of object: ManagedObject) {
        object.extra?.forget(property, of: object.entity, pendingRows, MutationToken())
        list.indexes.pending?.touch(object)
    }

    /// Discards the pending values that a row can hold, which the object set in `awakeFromFetch()`.
    func forgetStoredValues(of object: ManagedObject) {
        object.extra?.dropStoredValues(object.entity.propertySlots, MutationToken())
        list.indexes.pending?.touch(object)
    }

    /// Empties an object that is inserted into a context.
    static func empty(_ object: ManagedObject) { object.setExtra(nil, MutationToken()) }

    // MARK: - Clearing

    /// Forgets everything; returns the changed objects, which may have no other reference.
    func reset() -> [ManagedObject] {
        deletions.removeAll()
        failures.removeAll()
        return takeSaved()
    }

    /// Clears the changes after a save; ``didSave(_:_:)`` updates the objects, which are returned.
    func takeSaved() -> [ManagedObject] {
        assignedStoreIDs = [:]
        ownersOfOlderRows = [:]
        watched = DistinctObjects()
        deletions.includesNewObjects = false
        deletions.forgetCascades()
        pendingRows.releaseMemory()
        dropIndexes()
        return list.takeAll(MutationToken())
    }

    func makePendingIndex() -> PendingIndex {
        if let index = list.indexes.pending { return index }
        let index = PendingIndex()
        list.indexes.pending = index
        return index
    }

    // MARK: - Awakening

    /// Calls `awakeFromFetch()`, where setting attributes is no change.
    func awake(_ object: ManagedObject) { awaking { object.awakeFromFetch() } }

    /// Calls `awake(fromSnapshotEvents:)`, where setting attributes is no change.
    func awake(_ object: ManagedObject, from events: SnapshotEvents) { awaking { object.awake(fromSnapshotEvents: events) } }

    private func awaking(_ body: () -> Void) {
        let wasAwaking = isAwaking
        isAwaking = true
        body()
        isAwaking = wasAwaking
    }

    // MARK: - Changes with a token

    /// A to-many relationship of one object.
    struct LinkEnd {
        let relationship: RelationshipDescription
        let state: ToManyState
        let object: ManagedObject
    }

    /// Changes the destinations of a to-many relationship, on the object's own side, with notifications.
    ///
    /// - Parameters:
    ///   - mayLose: Whether a destination may be removed.
    ///   - body: Makes the change; returns whether there was one.
    ///   - record: Records the change in the undo journal.
    @inline(__always)
    func changeMembers(
        of end: LinkEnd, mayLose: Bool = false, _ body: (MutationToken) -> Bool, record: (ChangeJournal) -> Void = { _ in }
    ) {
        let (relationship, object) = (end.relationship, end.object)
        journal?.willChangeMembers(relationship, end.state, of: object, mayLose: mayLose)
        willChange(relationship.index, of: object)
        guard body(MutationToken()), !(isAwaking && relationship.isTransient) else { return }
        if let journal { record(journal) }
        noteChange(of: object)
    }

    /// Lets the tracker's other files mutate objects without notification, or with their own.
    @inline(__always)
    var token: MutationToken { MutationToken() }

    // MARK: - Observation

    /// Notifies that a value, or the members of a relationship, are about to change.
    @inline(__always)
    private func willChange(_ property: Int, of object: ManagedObject) {
        if object.isObserved { object.announceChange(property) }
        // Of a new object only the insertion is recorded.
        if !object.flags.contains(.newcomer) { recorder(of: object)?.willChange(property, of: object) }
    }

    /// Runs `body`, and returns the objects that were changed in it.
    func noting(_ body: () throws -> Void) rethrows -> [ManagedObject] {
        let before = noted
        noted = []
        defer { noted = before }
        try body()
        var seen: Set<ObjectIdentifier> = []
        return (noted ?? []).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Marks an object as changed, though none of its values need have changed.
    func noteChange(of object: ManagedObject, isAgain: Bool = false) {
        if !isAgain { noted?.append(object) }
        failures.noteChange()
        list.indexes.pending?.touch(object)
        if !object.flags.contains(.updated) {
            object.mark(.updated, MutationToken())
            list.add(object, MutationToken())
            list.indexes.referrers?.add(object)
        }
    }
}
