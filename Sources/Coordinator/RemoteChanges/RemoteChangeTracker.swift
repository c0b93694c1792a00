import Dispatch
import StrataPlatform
import StrataStore
import Synchronization

/// Finds remote changes of a store, those of other coordinators, processes and programs, on a thread of its own, and
/// reports them as save events in commit order.
///
/// It checks the store's revision whenever the system reports a write to the store's files, several times after that,
/// and periodically in any case. Where others committed, it reads the store and compares the digests of the rows with
/// those that the listeners know. It takes no lock that a save waits for, but to add what it found to a history, and
/// references neither the coordinator nor the entry.
final class RemoteChangeTracker: Sendable {
    private struct State {
        /// The store's revision before the last reading.
        var revision: Int64?
        /// Whether the next check reads the store whatever its revision.
        var readsAnyway = false
        var checks = 0
        var failures = 0
        /// The earliest time of the next reading, in nanoseconds.
        var nextReading: UInt64 = 0
    }

    /// The error that ends a reading after ``stop()``.
    private struct Stopped: Error {}

    private let store: any SharedStore
    /// The history of the store, set before ``start()``; `nil` where it has none.
    let history = Mutex<TrackedHistory?>(nil)
    private let schema: TrackedSchema
    private let scopes: ObjectIDScopes
    private let events: SaveEvents
    private let changes: FileChanges
    private let state = Mutex(State())
    /// `nil` until the store was read for the first time.
    private let index = Mutex<RowDigestIndex?>(nil)
    private let isStopped = Atomic(false)
    /// The readings that have a connection of the store: one at most.
    private let readings = DispatchGroup()

    /// The longest time between checks, in seconds: where the system reports writes to files, and where it does not.
    private static let (longestRest, longestPollingRest) = (1.0, 0.1)
    /// The least time between readings as a multiple of the last one's duration: frequent writes of others must not
    /// keep a processor busy.
    private static let restAfterReading: UInt64 = 4
    /// The least time between readings, in nanoseconds.
    private static let leastRestAfterReading: UInt64 = 2_000_000

    /// Creates the tracker of a store; `nil` where its options do not ask for one, or the store is in memory.
    ///
    /// - Throws: `StoreError` with `unsupported` where the store cannot detect the commits of others.
    init?(
        _ store: any StoreBackend, _ description: StoreDescription, _ schema: @autoclosure () -> TrackedSchema,
        _ scopes: ObjectIDScopes, _ events: SaveEvents
    ) throws {
        guard description.options.postsRemoteChanges, store.capabilities.isPersistent else { return nil }
        guard let store = store as? any SharedStore else {
            throw StoreError(.unsupported, .open, "the store does not support remote-change tracking", path: store.path)
        }
        self.store = store
        self.scopes = scopes
        self.events = events
        self.schema = schema()
        changes = FileChanges(store.writtenPaths)
    }

    deinit { changes.end() }

    // MARK: - Starting and stopping

    /// Reads the store, and reports remote changes from then on until ``stop()``.
    ///
    /// Every later commit of others is reported. The store is read on the tracker's thread; events of saves that are
    /// made meanwhile are delivered afterwards.
    ///
    /// - Throws: `StoreError` where the store cannot be read.
    func start() throws {
        let ticket = events.takeTicket()
        let isTaken = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        // The thread references the tracker only while it works: it ends with it.
        let begins = OwnThread.run { [weak self, changes] in
            guard self?.begin(ticket, isTaken, { error in failure.withLock { $0 = error } }) == true else { return }
            RemoteChangeTracker.watch(changes) { [weak self] in self }
        }
        guard begins else {
            events.end(ticket, .nothing)
            throw StoreError(.io, .open, "no thread is available to track remote changes of the store", path: store.path)
        }
        isTaken.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Stops reporting changes, except those being delivered, and ends the thread as soon as possible.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        changes.end()
    }

    /// Stops as ``stop()``, and waits for a reading under way, a second at most: its connection keeps the store's files in use.
    func stopAndWait() {
        stop()
        _ = readings.wait(timeout: .now() + 1)
    }

    /// Reads the store with a snapshot.
    private func withReader<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        readings.enter()
        defer { readings.leave() }
        try checkStopped()
        return try store.read { reader in
            try reader.takeSnapshot()
            return try body(reader)
        }
    }

    func check() { changes.wake() }

    func checkThoroughly() {
        state.withLock { $0.readsAnyway = true }
        changes.wake()
    }

    private func checkStopped() throws {
        if isStopped.load(ordering: .acquiring) { throw Stopped() }
    }

    /// Reads the store for the first time, and returns the ticket; returns whether it was read.
    private func begin(_ ticket: Int, _ isTaken: DispatchSemaphore, _ fail: (any Error) -> Void) -> Bool {
        var hasSnapshot = false
        do {
            let revision = try refreshedRevision()
            state.withLock { $0.revision = revision }
            let history = history.withLock(\.self)
            let news = history?.news()
            let begin = DispatchTime.now().uptimeNanoseconds
            let contents = try withReader { reader in
                hasSnapshot = true
                isTaken.signal()
                return try StoreDigest(reader, of: schema, since: nil, isWhole: true, news: news, checkStopped)
            }
            if let news { history?.take(news, isWhole: true, DispatchTime.now().uptimeNanoseconds - begin) }
            events.end(ticket, .read(self, contents, since: 0))
            return true
        } catch {
            if !hasSnapshot {
                fail(error)
                isTaken.signal()
            }
            events.end(ticket, .nothing)
            return false
        }
    }

    /// Checks for changes until the tracker is stopped or released.
    private static func watch(_ changes: FileChanges, _ tracker: () -> RemoteChangeTracker?) {
        var rest = 0.0
        while true {
            let cause = changes.wait(seconds: rest, or: tracker()?.store.signal)
            guard cause != .ended, let next = tracker()?.rest(afterChange: cause == .changed) else { return }
            rest = next
            // A commit of many writes is checked once.
            if cause == .changed { usleep(1000) }
        }
    }

    // MARK: - Checking

    /// Checks the store for remote changes; returns the seconds until the next check, if any.
    private func rest(afterChange isChanged: Bool) -> Double? {
        do {
            let rest = try check(afterChange: isChanged)
            state.withLock { $0.failures = 0 }
            return rest
        } catch is Stopped { return nil } catch {
            if isStopped.load(ordering: .acquiring) { return nil }
            if let error = error as? StoreError, RemoteChangeTracker.isFinal(error) { return nil }
            let failures = state.withLock { state in
                state.failures += 1
                return state.failures
            }
            return min(0.02 * Double(1 << min(failures, 8)), 5)
        }
    }

    /// Returns whether the store cannot be read any more; a missing file may come back, and a half-written one may be
    /// completed.
    private static func isFinal(_ error: StoreError) -> Bool {
        error.code == .closed || error.recovery == .reopen && ![.missing, .replaced, .corrupt].contains(error.code)
    }

    private func check(afterChange isChanged: Bool) throws -> Double {
        try checkStopped()
        if isChanged { state.withLock { $0.checks = 0 } }
        if let history = history.withLock(\.self) {
            history.addFound()
            if history.isComparisonDue { state.withLock { $0.readsAnyway = true } }
        }
        if try isDue() {
            let now = DispatchTime.now().uptimeNanoseconds
            let next = state.withLock { $0.nextReading }
            if now < next { return Double(next - now) / 1e9 }
            try read()
        }
        // A commit may become visible only some time after its last byte was written: there are several checks, less
        // and less often.
        let checks = state.withLock { state in
            state.checks += 1
            return state.checks
        }
        let longest = changes.isNotified || store.signal != nil ? RemoteChangeTracker.longestRest : RemoteChangeTracker.longestPollingRest
        return checks < 10 ? min(0.001 * Double(1 << checks), longest) : longest
    }

    private func isDue() throws -> Bool {
        if state.withLock({ $0.readsAnyway }) { return true }
        guard let revision = try store.revisionOfOthers() else { return false }
        return revision != state.withLock { $0.revision }
    }

    /// Returns the store's revision, all of whose commits are in a snapshot that is taken afterwards.
    ///
    /// The order matters: a file that replaced the store's after the refresh must not be counted, as the snapshot does
    /// not show it.
    private func refreshedRevision() throws -> Int64? {
        let revision = try store.revisionOfOthers()
        // A store of one file loads it now.
        try store.refresh()
        return revision
    }

    private func read() throws {
        // Before the snapshot: a save that is reported meanwhile may or may not be in it.
        guard let (start, known) = index.withLock({ index in index.map { ($0.saves, $0.contents) } }) else { return }
        guard let revision = try refreshedRevision() else { return }
        let (readsAnyway, isDue) = state.withLock { state in
            defer { (state.readsAnyway, state.checks) = (false, 0) }
            return (state.readsAnyway, state.readsAnyway || state.revision != revision)
        }
        if !isDue { return }
        let begin = DispatchTime.now().uptimeNanoseconds
        let history = history.withLock(\.self)
        let contents: StoreDigest
        do {
            let news = history?.news()
            contents = try withReader { try StoreDigest($0, of: schema, since: known, isWhole: readsAnyway, news: news, checkStopped) }
        } catch {
            // The revision counts as known already.
            state.withLock { $0.readsAnyway = true }
            throw error
        }
        let end = DispatchTime.now().uptimeNanoseconds
        if let news = contents.news { history?.take(news, isWhole: contents.isWhole, end - begin) }
        state.withLock { state in
            state.revision = revision
            state.nextReading = end + max(RemoteChangeTracker.restAfterReading * (end - begin), RemoteChangeTracker.leastRestAfterReading)
        }
        events.end(events.takeTicket(), .read(self, contents, since: start))
    }

    // MARK: - Reporting

    /// Records the changes of the coordinator's own save just before its event is delivered; returns earlier remote
    /// changes of the same objects, which were not reported yet.
    func record(_ own: OwnChanges) -> SaveEvent.StoreChanges {
        let (before, isCrowded) = index.withLock { index in
            (index?.record(own) ?? SaveEvent.StoreChanges(storeID: store.id), index?.isCrowded == true)
        }
        if isCrowded { checkThoroughly() } else if !before.isEmpty { check() }
        return before
    }

    /// Compares the digests of a reading with those that the listeners know, and takes them as known; returns the
    /// remote changes.
    func compare(_ contents: StoreDigest, since start: Int) -> SaveEvent.StoreChanges {
        let outcome = index.withLock { index -> (changes: SaveEvent.StoreChanges, isUnsure: Bool)? in
            if index == nil {
                index = RowDigestIndex(contents, schema, scopes, store.id)
                return nil
            }
            return index?.update(to: contents, since: start)
        }
        guard var outcome else { return SaveEvent.StoreChanges(storeID: store.id) }
        if outcome.isUnsure { checkThoroughly() }
        if let news = contents.news {
            outcome.changes.historyToken = HistoryToken([store.id: news.number])
            // A store with a log has it from there.
            if contents.isWhole, contents.position == nil {
                history.withLock(\.self)?.noteFound(outcome.changes, since: news)
                changes.wake()
            }
        }
        return isStopped.load(ordering: .acquiring) ? SaveEvent.StoreChanges(storeID: store.id) : outcome.changes
    }
}
