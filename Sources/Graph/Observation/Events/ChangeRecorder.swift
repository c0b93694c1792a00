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

        /// Takes note that a property is about to be changed.
        mutating func willChange(_ property: Int, keepsStart: Bool) {
            if keepsStart {
                if held == nil { held = EventStart.Held(object, isNew: object.isNew && !existed) }
                if !changed.contains(property) { held?.willChange(property, of: object) }
            }
            isUpdated = true
            changed.insert(property)
        }
    }

    // Exclusivity is not checked at run time for what every change of an object comes by: no access spans another.
    @safe @exclusivity(unchecked) private var records: [Record] = []
    /// The places of the first records by object, as far as somebody had to look for one: most objects are changed all at once.
    private var indices: [ObjectIdentifier: Int] = [:]
    @safe @exclusivity(unchecked) private var newcomers = Newcomers()
    /// Whether somebody hears of what is changed of the objects of each entity, by its index.
    @safe @exclusivity(unchecked) private var heard: [Bool] = []
    /// Whether somebody may hear of what the next save stores.
    private(set) var mayConcernSave = true
    /// Whether what objects were is kept.
    @safe @exclusivity(unchecked) private var keepsStarts = false
    /// Whether objects may have been changed in the present event before that was kept.
    private var isPartial = false
    /// Called at the first change after an event.
    private let announce: () -> Void

    init(_ announce: @escaping () -> Void) { self.announce = announce }

    /// Has what is changed of the objects of some entities be heard of, by their index.
    func hear(_ heard: [Bool]) { (self.heard, mayConcernSave) = (heard, true) }

    /// Returns whether somebody hears of what is changed of an object.
    func hears(_ object: ManagedObject) -> Bool { heard[object.entity.index.rawValue] }

    /// Takes note that a value or the members of a relationship are about to be changed; nobody asks that of a new object.
    func willChange(_ property: Int, of object: ManagedObject) {
        records[index(of: object)].willChange(property, keepsStart: keepsStarts)
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
        if newcomers.contains(object) { return EventStart(new: object) }
        return object.flags.contains(.recorded) ? knownIndex(of: object).flatMap { records[$0].start } : nil
    }

    /// Takes note that an object is in the context, or there again.
    ///
    /// - Parameter isNew: Whether no store has it.
    func didCome(_ object: ManagedObject, isNew: Bool = false) {
        if isNew && !object.flags.contains(.recorded) {
            begin()
            return newcomers.append(object)
        }
        if !newcomers.bringBack(object) { records[index(of: object, existed: false)].isGone = false }
    }

    /// Takes note that an object is deleted, or leaves the context.
    func didGo(_ object: ManagedObject) { if !newcomers.remove(object) { records[index(of: object)].isGone = true } }

    /// Takes note that the saved values of an object are others.
    ///
    /// - Parameter properties: Which, where it is known.
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

    /// Begins an event, where there is nothing in it yet.
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

    /// Takes note that what was changed is stored.
    func didSave() { mayConcernSave = false }

    /// Puts what was noted into an event, and forgets it.
    func take(into event: inout ContextEvent) {
        event.addInserted(newcomers.present)
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
        if keepsStarts { event.setStarts(EventStarts(newcomers, records, isPartial: isPartial)) }
        forget()
    }
}

/// The objects that are new in an event: no store has them, and nothing more has to be known of them.
private struct Newcomers {
    private var objects: [ManagedObject] = []
    /// Those that went again.
    private var gone: Set<ObjectIdentifier> = []
    /// The first ones, as far as somebody had to look for one.
    private var known: Set<ObjectIdentifier> = []

    var isEmpty: Bool { objects.isEmpty }
    /// Those that did not go again.
    var present: [ManagedObject] { gone.isEmpty ? objects : objects.filter { !gone.contains(ObjectIdentifier($0)) } }

    mutating func append(_ object: ManagedObject) {
        object.markRecorded([.recorded, .newcomer])
        objects.append(object)
    }

    /// Returns whether an object is one of them, gone or not.
    mutating func contains(_ object: ManagedObject) -> Bool {
        guard object.flags.contains(.newcomer) else { return false }
        for index in known.count..<objects.count { known.insert(ObjectIdentifier(objects[index])) }
        return known.contains(ObjectIdentifier(object))
    }

    mutating func remove(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        gone.insert(ObjectIdentifier(object))
        return true
    }

    mutating func bringBack(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        gone.remove(ObjectIdentifier(object))
        return true
    }

    mutating func forget() {
        for object in objects { object.markRecorded([]) }
        self = Newcomers()
    }
}

/// What the objects of an event were before it, found by object once somebody asks.
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

extension ChangeRecorder.Record {
    /// What the object was before it was changed; `nil` where it was not, or nothing was kept.
    fileprivate var start: EventStart? { held.map { EventStart($0, changed: changed) } }
}
