import StrataModel

/// What became of a context's objects since the last event; only a context that somebody listens to has one.
final class ChangeRecorder {
    struct Record {
        let object: ManagedObject
        /// Whether the object was in the context before.
        let existed: Bool
        var changed = PropertySet()
        var isUpdated = false
        /// What the object was before it was changed; only where somebody may ask.
        var held: EventStart.Held?
        /// The properties that are to be read anew; `nil` for all of them.
        var replaced: PropertySet?
        var isRefreshed = false
        var isGone = false
    }

    private var records: [Record] = []
    /// The object of the last record, where it is new: of such a one it is enough to know that.
    private var lastNew: ObjectIdentifier?
    /// The places of the first records by object, as far as somebody had to look for one: most objects are changed all at once.
    private var places: [ObjectIdentifier: Int] = [:]
    /// Whether somebody hears of what is changed of the objects of each entity, by its index.
    private var heard: [Bool] = []
    /// Whether somebody may hear of what the next save stores.
    private(set) var mayConcernSave = true
    /// Whether what objects were is kept.
    private var keepsStarts = false
    /// Whether objects may have been changed in the present event before that was kept.
    private var isPartial = false
    /// Called at the first change after an event.
    private let announce: () -> Void

    init(_ announce: @escaping () -> Void) { self.announce = announce }

    /// Has what is changed of the objects of some entities be heard of, by their index.
    func hear(_ heard: [Bool]) { (self.heard, mayConcernSave) = (heard, true) }

    /// Whether somebody hears of what is changed of an object.
    func hears(_ object: ManagedObject) -> Bool { heard[object.entity.index.rawValue] }

    /// Takes note that a value or the members of a relationship are changed.
    func didChange(_ property: Int, of object: ManagedObject) {
        if !keepsStarts && lastNew == ObjectIdentifier(object) { return }
        let place = place(of: object)
        if keepsStarts {
            if records[place].held == nil {
                records[place].held = EventStart.Held(object, isNew: object.isNew && !records[place].existed)
            }
            if !records[place].changed.contains(property) { records[place].held?.willChange(property, of: object) }
        }
        records[place].isUpdated = true
        records[place].changed.insert(property)
    }

    /// Keeps what objects are before they are changed, from now on.
    ///
    /// - Parameter isPartial: Whether any was changed before.
    func keepStarts(isPartial: Bool) {
        if keepsStarts { return }
        (keepsStarts, self.isPartial) = (true, isPartial)
    }

    /// What an object was before it was changed; `nil` where it was not.
    func start(of object: ManagedObject) -> EventStart? {
        if isPartial { return EventStart(saved: object) }
        return object.flags.contains(.recorded) ? knownPlace(of: object).flatMap { records[$0].start } : nil
    }

    /// Takes note that an object is new in the context, or there again.
    func didCome(_ object: ManagedObject) { records[place(of: object, existed: false)].isGone = false }

    /// Takes note that an object is deleted, or leaves the context.
    func didGo(_ object: ManagedObject) { records[place(of: object)].isGone = true }

    /// Takes note that the saved values of an object are others.
    ///
    /// - Parameter properties: Which, where it is known.
    func didRefresh(_ object: ManagedObject, _ properties: PropertySet? = nil) {
        let place = place(of: object)
        defer { records[place].isRefreshed = true }
        guard records[place].isRefreshed else { return records[place].replaced = properties }
        guard let known = records[place].replaced else { return }
        records[place].replaced = properties.map { known.union($0) }
    }

    private func place(of object: ManagedObject, existed: Bool = true) -> Int {
        let last = records.count - 1
        if last >= 0 && records[last].object === object { return last }
        if object.flags.contains(.recorded), let place = knownPlace(of: object) { return place }
        if records.isEmpty {
            announce()
            mayConcernSave = true
        }
        object.markRecorded(true)
        records.append(Record(object: object, existed: existed))
        lastNew = existed ? nil : ObjectIdentifier(object)
        return records.count - 1
    }

    private func knownPlace(of object: ManagedObject) -> Int? {
        for place in places.count..<records.count { places[ObjectIdentifier(records[place].object)] = place }
        return places[ObjectIdentifier(object)]
    }

    /// Forgets what was noted.
    func forget() {
        for record in records { record.object.markRecorded(false) }
        records = []
        lastNew = nil
        places = [:]
        isPartial = false
    }

    /// Takes note that what was changed is stored.
    func didSave() { mayConcernSave = false }

    /// Puts what was noted into an event, and forgets it.
    func take(into event: inout ContextEvent) {
        for record in records {
            let object = record.object
            if record.isGone {
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
        if keepsStarts { event.setStarts(EventStarts(records, isPartial: isPartial)) }
        forget()
    }
}

/// What the objects of an event were before it, found by object once somebody asks.
final class EventStarts {
    private let records: [ChangeRecorder.Record]
    private lazy var places = Dictionary(records.indices.map { (ObjectIdentifier(records[$0].object), $0) }) { first, _ in first }

    private let isPartial: Bool

    init(_ records: [ChangeRecorder.Record], isPartial: Bool) { (self.records, self.isPartial) = (records, isPartial) }

    subscript(object: ManagedObject) -> EventStart? {
        guard let place = places[ObjectIdentifier(object)] else { return nil }
        return isPartial ? EventStart(saved: object) : records[place].start
    }
}

extension ChangeRecorder.Record {
    /// What the object was before it was changed; `nil` where it was not, or nothing was kept.
    fileprivate var start: EventStart? { held.map { EventStart($0, changed: changed) } }
}
