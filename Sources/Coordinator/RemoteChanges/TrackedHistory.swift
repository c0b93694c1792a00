import Dispatch
import StrataStore
import Synchronization

/// The history of a store with remote-change tracking: it lists what others changed, so that only that is read.
///
/// Programs that write past the history are found by comparing all rows: after a commit of others that added no
/// transaction, and from time to time. What they changed is added to the history.
final class TrackedHistory: Sendable {
    /// What others changed since the last reading.
    struct News {
        /// The number of the last transaction.
        let number: Int64
        /// The number of the last one at the reading before.
        let known: Int64
        /// The numbers of the coordinator's own transactions since then.
        let own: Set<Int64>
        /// The changes; `nil` where all rows have to be compared.
        let changes: LoggedChanges?
    }

    private struct State {
        /// The number of the last transaction whose changes are known; `nil` before the first reading.
        var number: Int64?
        /// The numbers of the coordinator's own transactions since then.
        var own: Set<Int64> = []
        /// The consumers at the last reading: an advance of one is a commit without a transaction.
        var consumers: [String: StoreMetadata.HistoryConsumer]?
        /// The earliest time of the next comparison of all rows, in nanoseconds; `nil` where nothing was read since the last.
        var nextComparison: UInt64?
        /// The duration of the last comparison of all rows, in nanoseconds.
        var duration: UInt64 = 0
        /// The changes that the comparison of all rows found, each with the number of the last transaction before.
        var found: [(changes: SaveEvent.StoreChanges, known: Int64, own: Set<Int64>)] = []
        /// How often the changes could not be added.
        var failures = 0
    }

    private let store: any StoreBackend
    private let model: ManagedObjectModel
    private let state = Mutex(State())

    private static let mostOwn = 1_000
    /// How long a write lock is waited for, in seconds.
    private static let longestWait = 1.0
    private static let mostFailures = 10
    /// The least time between comparisons of all rows, and the same as a multiple of the last one's duration.
    private static let (leastRest, rest) = (60_000_000_000 as UInt64, 100 as UInt64)

    init(_ store: any StoreBackend, _ model: ManagedObjectModel) { (self.store, self.model) = (store, model) }

    /// Records that the coordinator adds a transaction.
    func note(own number: Int64) {
        state.withLock { state in
            // Unknown ones are read like those of others.
            if state.own.count >= TrackedHistory.mostOwn { state.own = [] }
            state.own.insert(number)
        }
    }

    /// Forgets the number of a transaction that took no effect: another one may get it next.
    func forget(own number: Int64) { state.withLock { _ = $0.own.remove(number) } }

    /// Reads what is new, before the snapshot is taken with which the rows are read; `nil` where the history cannot be
    /// read, and all rows have to be compared.
    func news() -> News? { try? readNews() }

    private func readNews() throws -> News {
        let (known, consumers) = state.withLock { ($0.number, $0.consumers) }
        let current = try store.metadata().historyConsumers
        state.withLock { $0.consumers = current }
        guard let known else {
            let last = try store.history(HistoryQuery(limit: 1, isReversed: true, includesBodies: false)).first?.number ?? 0
            return News(number: last, known: last, own: [], changes: nil)
        }
        let records = try store.history(HistoryQuery(after: known))
        let number = records.last?.number ?? known
        let own = state.withLock(\.own)
        let others = records.filter { !own.contains($0.number) }
        var changes = LoggedChanges()
        if others.isEmpty && current == consumers { return News(number: number, known: known, own: own, changes: nil) }
        for record in others {
            // Deleted ones, or damaged ones.
            guard !record.marksDeletion, let body = try? HistoryBody(record.body, path: store.path) else {
                return News(number: number, known: known, own: own, changes: nil)
            }
            changes.add(rowsOf: body, of: model)
            changes.add(linkTablesOf: body, of: model)
        }
        return News(number: number, known: known, own: own, changes: changes)
    }

    /// Takes the changes as known.
    ///
    /// - Parameter duration: The time of the reading, in nanoseconds.
    func take(_ news: News, isWhole: Bool, _ duration: UInt64) {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { state in
            state.number = news.number
            state.own = state.own.filter { $0 > news.number }
            if isWhole {
                (state.duration, state.nextComparison) = (duration, nil)
            } else if state.nextComparison == nil {
                state.nextComparison = now + max(TrackedHistory.leastRest, TrackedHistory.rest * state.duration)
            }
        }
    }

    /// Whether all rows are to be compared again.
    var isComparisonDue: Bool { state.withLock(\.nextComparison).map { $0 < DispatchTime.now().uptimeNanoseconds } ?? false }

    // MARK: - Changes past the history

    /// Records what a comparison of all rows found, to be added to the history where no transaction has it.
    func noteFound(_ changes: SaveEvent.StoreChanges, since news: News) {
        if changes.isEmpty || store.isReadOnly { return }
        state.withLock { $0.found.append((changes, news.known, news.own)) }
    }

    /// Adds the changes that were found to the history, unless a transaction has them; what fails is tried again some
    /// times.
    func addFound() {
        do { try addAllFound() } catch {
            state.withLock { state in
                state.failures += 1
                if state.failures >= TrackedHistory.mostFailures { (state.found, state.failures) = ([], 0) }
            }
        }
    }

    private func addAllFound() throws {
        while let (changes, known, own) = state.withLock({ state in
            state.found.first.map { ($0.changes, $0.known, $0.own.union(state.own)) }
        }) {
            // Mostly all of them are: no write lock is needed then.
            if let left = try unrecorded(changes, since: known, own), !left.isEmpty {
                let transaction = try Deadline.$limit.withValue(TrackedHistory.longestWait) { try store.beginWrite() }
                try transaction.orRollback {
                    // Other processes have found the same.
                    guard let left = try unrecorded(changes, since: known, own), !left.isEmpty else { return transaction.rollback() }
                    let origin = HistoryOrigin(.external).encoded
                    let record = HistoryRecord(
                        time: Date().timeIntervalSinceReferenceDate, origin: origin, body: left.historyBody(model))
                    let number = try transaction.append(record)
                    note(own: number)
                    do {
                        try transaction.prepare()
                        try transaction.commit()
                    } catch {
                        forget(own: number)
                        throw error
                    }
                }
            }
            state.withLock { _ = $0.found.removeFirst() }
        }
    }

    /// Returns the changes of objects that no transaction names since a number; `nil` where some were deleted.
    ///
    /// The coordinator's own transactions count but for updates: others may have updated the same object, but not inserted or deleted it again.
    private func unrecorded(_ changes: SaveEvent.StoreChanges, since known: Int64, _ own: Set<Int64>) throws -> SaveEvent.StoreChanges? {
        // By kinds: an object may have been deleted past the history that a transaction had changed.
        var named: [HistoryBody.Kind: Set<RowID>] = [:]
        for record in try store.history(HistoryQuery(after: known)) {
            let isOwn = own.contains(record.number)
            guard !record.marksDeletion, let body = try? HistoryBody(record.body, path: store.path) else {
                if isOwn { continue }
                return nil
            }
            let roots = body.entities.map { model.entity(named: $0.name)?.root }
            for change in body.changes where !isOwn || change.kind != .update {
                if let root = roots[change.entity] {
                    named[change.kind, default: []].insert(RowID(root: root, reference: change.reference))
                }
            }
        }
        func isLeft(_ kind: HistoryBody.Kind) -> (SavedObject) -> Bool {
            { named[kind]?.contains(RowID($0.id.entity.index, $0.id.reference, self.model)) != true }
        }
        var left = changes
        left.inserted = changes.inserted.filter(isLeft(.insert))
        left.updated = changes.updated.filter(isLeft(.update))
        left.deleted = changes.deleted.filter(isLeft(.delete))
        return left
    }
}

extension SaveEvent.StoreChanges {
    fileprivate func historyBody(_ model: ManagedObjectModel) -> [UInt8] {
        func ordered(_ objects: [SavedObject]) -> [SavedObject] {
            objects.sorted { ($0.id.entity.index, $0.id.reference) < ($1.id.entity.index, $1.id.reference) }
        }
        var body = HistoryBodyWriter(model)
        for object in ordered(inserted) { body.insert(object.id.entity.index, object.id.reference) }
        for object in ordered(updated) {
            let properties = object.id.entity.properties
            let changed = object.changedProperties.compactMap { name in
                properties.first { $0.name == name || $0.attribute?.compositeName == name }?.index
            }
            body.update(object.id.entity.index, object.id.reference, properties: changed)
        }
        var writer = RowWriter()
        for object in ordered(deleted) {
            let entity = object.id.entity
            writer.begin(entity, reference: object.id.reference, version: 1)
            for (name, value) in tombstones[object.id] ?? [:] {
                guard let attribute = entity.attribute(named: name), let slot = attribute.slot else { continue }
                writer.set(value, at: slot, attribute.slotKind)
            }
            body.delete(entity.index, object.id.reference, tombstone: writer.finish())
        }
        return body.finish()
    }
}
