import StrataModel

/// The changes of a context's objects since the last event; only a context with listeners has one.
final class ChangeRecorder {
    struct Record {
        let object: ManagedObject
        let existed: Bool
        var changed = PropertySet()
        var isUpdated = false
        /// The object's state before the changes; only where a listener may ask.
        var held: EventStart.Held?
        /// The properties to read anew; `nil` for all.
        var replaced: PropertySet?
        var isRefreshed = false
        var isRemoved = false

        /// The object's state before its changes; `nil` where it was not kept.
        fileprivate var start: EventStart? { held.map { EventStart($0, changed: changed) } }

        mutating func willChange(_ property: Int, keepsStart: Bool) {
            if keepsStart {
                if held == nil { held = EventStart.Held(object, isNew: object.isNew && !existed) }
                if !changed.contains(property) { held?.willChange(property, of: object) }
            }
            isUpdated = true
            changed.insert(property)
        }
    }

    // Exclusivity is not checked at run time: each change of an object passes here, and no access spans another.
    @safe @exclusivity(unchecked) private var records: [Record] = []
    /// The indices of the first records by object, as far as they were searched: most objects are changed once.
    private var indices: [ObjectIdentifier: Int] = [:]
    @safe @exclusivity(unchecked) private var newcomers = Newcomers()
    /// Whether listeners are notified of changes of each entity's objects, by its index.
    @safe @exclusivity(unchecked) private var observed: [Bool] = []
    /// Whether listeners may be notified of the next save.
    private(set) var mayConcernSave = true
    /// Whether states before the changes are kept.
    @safe @exclusivity(unchecked) private var keepsStarts = false
    /// Whether objects may have been changed in the current event before that.
    private var isPartial = false
    /// Called at the first change after an event.
    private let announce: () -> Void

    init(_ announce: @escaping () -> Void) { self.announce = announce }

    /// Sets the entities, by index, whose changes are recorded.
    func observe(_ observed: [Bool]) { (self.observed, mayConcernSave) = (observed, true) }

    func observes(_ object: ManagedObject) -> Bool { observed[object.entityIndex.rawValue] }

    /// Records a change of a value or of members, which is not needed for a new object.
    func willChange(_ property: Int, of object: ManagedObject) { records[index(of: object)].willChange(property, keepsStart: keepsStarts) }

    /// Keeps states before changes from now on.
    ///
    /// - Parameter isPartial: Whether any was changed before.
    func keepStarts(isPartial: Bool) {
        if keepsStarts { return }
        (keepsStarts, self.isPartial) = (true, isPartial)
    }

    /// Returns the object's state before its changes; `nil` without changes.
    func start(of object: ManagedObject) -> EventStart? {
        if isPartial { return EventStart(saved: object) }
        if newcomers.contains(object) { return EventStart(new: object) }
        return object.flags.contains(.recorded) ? knownIndex(of: object).flatMap { records[$0].start } : nil
    }

    /// Records that an object was registered, or restored.
    ///
    /// - Parameter isNew: Whether no store has it.
    func didCome(_ object: ManagedObject, isNew: Bool = false) {
        if isNew && !object.flags.contains(.recorded) {
            begin()
            return newcomers.append(object)
        }
        if !newcomers.reinsert(object) { records[index(of: object, existed: false)].isRemoved = false }
    }

    /// Records that an object is deleted, or leaves the context.
    func didGo(_ object: ManagedObject) { if !newcomers.remove(object) { records[index(of: object)].isRemoved = true } }

    /// Records that the saved values of an object changed.
    ///
    /// - Parameter properties: The properties, where known.
    func didRefresh(_ object: ManagedObject, _ properties: PropertySet? = nil) {
        if newcomers.contains(object) { return }
        let index = index(of: object)
        defer { records[index].isRefreshed = true }
        guard records[index].isRefreshed else { return records[index].replaced = properties }
        guard let known = records[index].replaced else { return }
        records[index].replaced = properties.map { known.union($0) }
    }

    private func index(of object: ManagedObject, existed: Bool = true) -> Int {
        let last = records.count - 1
        if last >= 0 && records[last].object === object { return last }
        if object.flags.contains(.recorded), let index = knownIndex(of: object) { return index }
        begin()
        object.markRecorded(.recorded)
        records.append(Record(object: object, existed: existed))
        return records.count - 1
    }

    /// Begins an event, unless there is one.
    private func begin() {
        guard records.isEmpty && newcomers.isEmpty else { return }
        announce()
        mayConcernSave = true
    }

    private func knownIndex(of object: ManagedObject) -> Int? {
        for index in indices.count..<records.count { indices[ObjectIdentifier(records[index].object)] = index }
        return indices[ObjectIdentifier(object)]
    }

    func forget() {
        for index in records.indices { records[index].object.markRecorded([]) }
        newcomers.forget()
        records = []
        indices = [:]
        isPartial = false
    }

    func didSave() { mayConcernSave = false }

    func take(into event: inout ContextEvent) {
        event.addInserted(newcomers.present)
        for object in newcomers.deleted { event.addDeleted(object) }
        for record in records {
            let object = record.object
            if record.isRemoved {
                if record.existed { event.addDeleted(object) }
                continue
            }
            if !record.existed {
                event.addInserted(object)
                continue
            }
            let changed = record.isRefreshed ? record.replaced.map { record.changed.union($0) } : record.changed
            if record.isUpdated { event.addUpdated(object, changed) }
            if record.isRefreshed { event.addRefreshed(object, changed) }
        }
        if keepsStarts { event.starts = EventStarts(newcomers, records, isPartial: isPartial) }
        forget()
    }
}

/// The inserted objects of an event, which need no further records.
private struct Newcomers {
    private var objects: [ManagedObject] = []
    /// The removed ones among them.
    private var removed: Set<ObjectIdentifier> = []
    /// The first ones, as far as they were searched.
    private var known: Set<ObjectIdentifier> = []

    var isEmpty: Bool { objects.isEmpty }
    /// The ones that were not removed.
    var present: [ManagedObject] { removed.isEmpty ? objects : objects.filter { !removed.contains(ObjectIdentifier($0)) } }

    /// The ones that were deleted, and did not leave the context otherwise.
    var deleted: [ManagedObject] {
        removed.isEmpty ? [] : objects.filter { removed.contains(ObjectIdentifier($0)) && $0.flags.contains(.deleted) }
    }

    mutating func append(_ object: ManagedObject) {
        object.markRecorded([.recorded, .newcomer])
        objects.append(object)
    }

    /// Returns whether an object is one of them, removed or not.
    mutating func contains(_ object: ManagedObject) -> Bool {
        guard object.flags.contains(.newcomer) else { return false }
        for index in known.count..<objects.count { known.insert(ObjectIdentifier(objects[index])) }
        return known.contains(ObjectIdentifier(object))
    }

    mutating func remove(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        removed.insert(ObjectIdentifier(object))
        return true
    }

    mutating func reinsert(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        removed.remove(ObjectIdentifier(object))
        return true
    }

    mutating func forget() {
        for object in objects { object.markRecorded([]) }
        self = Newcomers()
    }
}

/// The states of an event's objects before it, found by object on demand.
final class EventStarts {
    private let newcomers: [ManagedObject]
    private let records: [ChangeRecorder.Record]
    private lazy var newOnes = Set(newcomers.map { ObjectIdentifier($0) })
    private lazy var indices = Dictionary(records.indices.map { (ObjectIdentifier(records[$0].object), $0) }) { first, _ in first }
    private let isPartial: Bool

    fileprivate init(_ newcomers: Newcomers, _ records: [ChangeRecorder.Record], isPartial: Bool) {
        (self.newcomers, self.records, self.isPartial) = (newcomers.present, records, isPartial)
    }

    subscript(object: ManagedObject) -> EventStart? {
        if newOnes.contains(ObjectIdentifier(object)) { return isPartial ? EventStart(saved: object) : EventStart(new: object) }
        guard let index = indices[ObjectIdentifier(object)] else { return nil }
        return isPartial ? EventStart(saved: object) : records[index].start
    }
}
