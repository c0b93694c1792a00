import Dispatch
import StrataFiles
import StrataModel
import StrataPlatform
import StrataStore
import Synchronization

/// Finds what others change in a store, on a thread of its own, and has it told among the saves of the coordinator.
///
/// It looks at the store's revision whenever the system tells that somebody wrote to the store's files, some more times after that, and now
/// and then in any case. Where others committed, it reads the store, and compares what it finds with what the listeners know. It takes no
/// lock that a save waits for, and holds neither the coordinator nor the entry.
final class StoreFollower: Sendable {
    private struct State {
        /// The store's revision before it was read last.
        var revision: Int64?
        /// Whether the store is to be read whatever its revision.
        var looksClosely = false
        /// How often it was looked at since there was a reason.
        var looks = 0
        /// How often in a row that failed.
        var failures = 0
        /// When the store may be read next, in nanoseconds.
        var nextReading: UInt64 = 0
    }

    /// The follower was stopped.
    private struct Stopped: Error {}

    private let store: any SharedStore
    private let shape: FollowedShape
    private let scopes: ObjectIDScopes
    private let events: SaveEvents
    private let changes: FileChanges
    private let state = Mutex(State())
    /// `nil` until the store was read for the first time.
    private let ledger = Mutex<StoreLedger?>(nil)
    private let isStopped = Atomic(false)

    /// How long nobody looks where nothing is told, in seconds: where the system tells of changes, and where not.
    private static let (longestRest, longestDeafRest) = (1.0, 0.1)
    /// How much longer than a reading took the next one is put off: what others write often must not keep a processor busy.
    private static let restAfterReading: UInt64 = 4
    /// The least time between readings, in nanoseconds.
    private static let leastRestAfterReading: UInt64 = 2_000_000

    /// What follows a store; `nil` where nobody wants that, or there are no others who could write it.
    ///
    /// - Throws: `StoreError` with `unsupported` where the store cannot tell that others wrote it.
    init?(
        _ store: any PersistentStore, _ description: StoreDescription, _ entities: Set<EntityIndex>, _ scopes: ObjectIDScopes,
        _ model: ManagedObjectModel, _ events: SaveEvents
    ) throws {
        guard description.options.postsRemoteChanges, store.capabilities.isPersistent else { return nil }
        guard let store = store as? any SharedStore else {
            throw StoreError(.unsupported, .open, "a store of this kind cannot tell what others save to it", path: store.path)
        }
        self.store = store
        self.scopes = scopes
        self.events = events
        shape = FollowedShape(model, entities)
        changes = FileChanges(store.writtenPaths)
    }

    deinit { changes.end() }

    // MARK: - Its life

    /// Takes note of what is in the store, and looks for changes from then on until ``stop()``.
    ///
    /// When it returns, all that others commit later will be told. The store is read on the follower's thread; what is saved meanwhile is
    /// told afterwards.
    ///
    /// - Throws: `StoreError` where the store cannot be read.
    func start() throws {
        let ticket = events.takeTicket()
        let isTaken = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        // The thread holds the follower only while it works: it ends with it.
        let begins = OwnThread.run { [weak self, changes] in
            guard self?.begin(ticket, isTaken, { error in failure.withLock { $0 = error } }) == true else { return }
            StoreFollower.follow(changes) { [weak self] in self }
        }
        guard begins else {
            events.end(ticket, .nothing)
            throw StoreError(.io, .open, "the system has no thread to follow the store's changes", path: store.path)
        }
        isTaken.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Tells nothing more but what is on its way, and ends the thread as soon as that is possible.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        changes.end()
    }

    /// Looks for changes now.
    func look() { changes.wake() }

    /// Reads the store, whether or not its revision says that others changed it.
    func lookClosely() {
        state.withLock { $0.looksClosely = true }
        changes.wake()
    }

    private func checkStopped() throws {
        if isStopped.load(ordering: .acquiring) { throw Stopped() }
    }

    /// Reads the store for the first time, and hands the ticket back.
    ///
    /// - Returns: Whether it was read.
    private func begin(_ ticket: Int, _ isTaken: DispatchSemaphore, _ fail: (any Error) -> Void) -> Bool {
        let contents = contents(isTaken, fail)
        events.end(ticket, contents.map { .read(self, $0, since: 0) } ?? .nothing)
        return contents != nil
    }

    private func contents(_ isTaken: DispatchSemaphore, _ fail: (any Error) -> Void) -> LedgerContents? {
        var hasSnapshot = false
        do {
            let revision = try refreshedRevision()
            state.withLock { $0.revision = revision }
            return try store.read { reader in
                try reader.takeSnapshot()
                hasSnapshot = true
                isTaken.signal()
                return try LedgerContents(reader, of: shape, since: nil, isWhole: true, checkStopped)
            }
        } catch {
            if !hasSnapshot {
                fail(error)
                isTaken.signal()
            }
            return nil
        }
    }

    /// Looks for changes until there is nobody left to tell them to.
    private static func follow(_ changes: FileChanges, _ follower: () -> StoreFollower?) {
        var rest = 0.0
        while true {
            switch changes.wait(seconds: rest, or: follower()?.store.signal) {
            case .ended: return
            case .changed:
                guard let next = follower()?.rest(afterChange: true) else { return }
                rest = next
                // What is written in many pieces is looked at once.
                usleep(1000)
            case .time:
                guard let next = follower()?.rest(afterChange: false) else { return }
                rest = next
            }
        }
    }

    // MARK: - Looking

    /// Looks at the store.
    ///
    /// - Returns: How many seconds to wait before the next look; `nil` where there is nothing more to be seen.
    private func rest(afterChange isChanged: Bool) -> Double? {
        do {
            let rest = try look(afterChange: isChanged)
            state.withLock { $0.failures = 0 }
            return rest
        } catch is Stopped { return nil } catch {
            if isStopped.load(ordering: .acquiring) { return nil }
            if let error = error as? StoreError, StoreFollower.isFinal(error) { return nil }
            let failures = state.withLock { state in
                state.failures += 1
                return state.failures
            }
            return min(0.02 * Double(1 << min(failures, 8)), 5)
        }
    }

    /// Whether a store will show nothing any more; a file that is away may come back, and one that is half written may be completed.
    private static func isFinal(_ error: StoreError) -> Bool {
        error.code == .closed || error.recovery == .reopen && ![.missing, .replaced, .corrupt].contains(error.code)
    }

    private func look(afterChange isChanged: Bool) throws -> Double {
        try checkStopped()
        if isChanged { state.withLock { $0.looks = 0 } }
        if try isDue() {
            let now = DispatchTime.now().uptimeNanoseconds
            let next = state.withLock { $0.nextReading }
            if now < next { return Double(next - now) / 1e9 }
            try read()
        }
        // A commit may be seen only some time after the last of its bytes was written, so there are several looks, less and less often.
        let looks = state.withLock { state in
            state.looks += 1
            return state.looks
        }
        let longest = changes.isTold || store.signal != nil ? StoreFollower.longestRest : StoreFollower.longestDeafRest
        return looks < 10 ? min(0.001 * Double(1 << looks), longest) : longest
    }

    private func isDue() throws -> Bool {
        if state.withLock({ $0.looksClosely }) { return true }
        guard let revision = try store.revisionOfOthers() else { return false }
        return revision != state.withLock { $0.revision }
    }

    /// Returns the store's revision, all of whose commits are in a snapshot that is taken afterwards.
    ///
    /// The order matters: a file that replaced the store's after the refresh must not be counted, as the snapshot does not show it.
    private func refreshedRevision() throws -> Int64? {
        let revision = try store.revisionOfOthers()
        // A store of one file loads it now.
        try store.refresh()
        return revision
    }

    private func read() throws {
        // Before the snapshot: what is told meanwhile may or may not be in it.
        guard let (start, known) = ledger.withLock({ ledger in ledger.map { ($0.saves, $0.contents) } }) else { return }
        guard let revision = try refreshedRevision() else { return }
        let (looksClosely, isReason) = state.withLock { state in
            defer { (state.looksClosely, state.looks) = (false, 0) }
            return (state.looksClosely, state.looksClosely || state.revision != revision)
        }
        if !isReason { return }
        let begin = DispatchTime.now().uptimeNanoseconds
        let contents: LedgerContents
        do {
            contents = try store.read { reader in
                try reader.takeSnapshot()
                return try LedgerContents(reader, of: shape, since: known, isWhole: looksClosely, checkStopped)
            }
        } catch {
            // The reason is there still.
            state.withLock { $0.looksClosely = true }
            throw error
        }
        let end = DispatchTime.now().uptimeNanoseconds
        state.withLock { state in
            state.revision = revision
            state.nextReading = end + max(StoreFollower.restAfterReading * (end - begin), StoreFollower.leastRestAfterReading)
        }
        events.end(events.takeTicket(), .read(self, contents, since: start))
    }

    // MARK: - Telling

    /// Takes in what a save of the coordinator changes, just before it is told.
    ///
    /// - Returns: What others did before to the same objects.
    func take(_ own: OwnChanges) -> SaveEvent.StoreChanges {
        let outcome = ledger.withLock { ledger -> (before: SaveEvent.StoreChanges, isCrowded: Bool)? in
            guard let before = ledger?.take(own) else { return nil }
            return (before, ledger?.isCrowded == true)
        }
        if outcome?.isCrowded == true { lookClosely() } else if outcome?.before.isEmpty == false { look() }
        return outcome?.before ?? SaveEvent.StoreChanges(storeID: store.id)
    }

    /// Takes in what the store holds, as it is told.
    ///
    /// - Returns: What others changed.
    func tell(_ contents: LedgerContents, since start: Int) -> SaveEvent.StoreChanges {
        let outcome = ledger.withLock { ledger -> (changes: SaveEvent.StoreChanges, isUnsure: Bool)? in
            if ledger == nil {
                ledger = StoreLedger(contents, shape, scopes, store.id)
                return nil
            }
            return ledger?.tell(contents, since: start)
        }
        guard let outcome else { return SaveEvent.StoreChanges(storeID: store.id) }
        if outcome.isUnsure { lookClosely() }
        return isStopped.load(ordering: .acquiring) ? SaveEvent.StoreChanges(storeID: store.id) : outcome.changes
    }
}
