import StrataStore
import Synchronization

/// Delivers the events of a coordinator's saves, and of remote changes, to listeners: each once, in the order of the commits.
///
/// A save takes a ticket while it holds the turns of its stores, so that of two saves over one store the first has the lower one, and
/// hands it back when it is over. Events go out in the order of the tickets; whoever hands back the one that the others wait for delivers.
final class SaveEvents: Sendable {
    /// What a listener is told by.
    typealias Listener = @Sendable (SaveEvent) -> Void

    /// Who listens, from a ticket on: a save that was over before may still be on its way to the others.
    private struct Subscriber {
        let listener: Listener
        let first: Int
    }

    /// A context, which batch requests reach.
    private struct Context {
        /// Whether it may have any of the objects.
        let isConcerned: @Sendable () -> Bool
        let take: @Sendable (RemoteChanges) -> Void
    }

    /// What a save made of the stores.
    struct Announcement {
        /// What the listeners are told.
        var stores: [SaveEvent.StoreChanges] = []
        /// The changes of the stores whose remote changes are tracked.
        var tracked: [(tracker: RemoteChangeTracker, changes: OwnChanges)] = []
    }

    /// What happens to a ticket.
    enum Outcome {
        /// A save is over.
        case saved(TransactionOrigin, Announcement)
        /// A store was read to find remote changes.
        case read(RemoteChangeTracker, StoreDigest, since: Int)
        /// Nothing is to be told.
        case nothing
    }

    private struct State {
        var listeners: [Int: Subscriber] = [:]
        var contexts: [Int: Context] = [:]
        var nextListener = 0
        var nextTicket = 0
        var nextDelivery = 0
        var nextEvent = 1
        /// The tickets that came back before an earlier one.
        var outcomes: [Int: Outcome] = [:]
        /// The thread that delivers; `nil` where nothing is on its way.
        var delivering: UInt?
    }

    private let state = Mutex(State())

    /// Whether anybody is to be told of what is saved.
    func isObserved(_ origin: TransactionOrigin) -> Bool {
        let (isObserved, contexts) = state.withLock { state in
            (!state.listeners.isEmpty, origin.reachesAllContexts ? Array(state.contexts.values) : [])
        }
        return isObserved || contexts.contains { $0.isConcerned() }
    }

    /// Whether a listener is being notified on this thread.
    var isDeliveredHere: Bool { state.withLock { $0.delivering } == CurrentThread.id }

    /// Adds a listener; the answer removes it.
    func add(_ listener: @escaping Listener) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = Subscriber(listener: listener, first: state.nextTicket)
            return state.nextListener
        }
    }

    /// Adds a context; the answer removes it.
    func add(_ isConcerned: @escaping @Sendable () -> Bool, _ take: @escaping @Sendable (RemoteChanges) -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.contexts[state.nextListener] = Context(isConcerned: isConcerned, take: take)
            return state.nextListener
        }
    }

    /// Removes a listener, or a context.
    func remove(_ number: Int) {
        let removed = state.withLock { ($0.listeners.removeValue(forKey: number), $0.contexts.removeValue(forKey: number)) }
        // What they hold may end here, and is not to find the lock taken.
        withExtendedLifetime(removed) {}
    }

    /// Runs a commit, which sets what it changed, and tells the listeners; also where it throws, of what it set before.
    func announce(_ origin: TransactionOrigin, _ commit: (inout Announcement) throws -> Void) rethrows {
        let ticket = takeTicket()
        var announcement = Announcement()
        defer { end(ticket, .saved(origin, announcement)) }
        try commit(&announcement)
    }

    /// Takes the next ticket: nothing that comes later is told before it is handed back.
    func takeTicket() -> Int {
        state.withLock { state in
            defer { state.nextTicket += 1 }
            return state.nextTicket
        }
    }

    /// Takes a ticket back, and delivers what has come to its turn, unless somebody else does.
    func end(_ ticket: Int, _ outcome: Outcome) {
        let delivers = state.withLock { state in
            state.outcomes[ticket] = outcome
            if state.delivering != nil { return false }
            state.delivering = CurrentThread.id
            return true
        }
        guard delivers else { return }
        while let (ticket, outcome) = next() {
            switch outcome {
            case .saved(let origin, let announcement):
                // What others did to the same objects comes first, as it came first.
                tell(announcement.tracked.map { $0.tracker.record($0.changes) })
                tell(announcement.stores, origin, ticket)
            case .read(let tracker, let contents, let start): tell([tracker.compare(contents, since: start)])
            case .nothing: break
            }
        }
    }

    /// - Parameters:
    ///   - origin: Who saved; `nil` where others did.
    ///   - ticket: That of the save; what others saved is told to whoever listens.
    private func tell(_ stores: [SaveEvent.StoreChanges], _ origin: TransactionOrigin? = nil, _ ticket: Int = .max) {
        let stores = stores.filter { !$0.isEmpty }
        if stores.isEmpty { return }
        let (number, listeners, contexts) = state.withLock { state in
            defer { state.nextEvent += 1 }
            // What others save concerns the contexts that merge by themselves, which listen.
            let contexts = origin?.reachesAllContexts == true ? Array(state.contexts.values) : []
            let listeners = state.listeners.filter { $0.value.first <= ticket }.sorted { $0.key < $1.key }
            return (state.nextEvent, listeners.map(\.value.listener), contexts)
        }
        let event = SaveEvent(number: number, origin: origin ?? TransactionOrigin(), isRemote: origin == nil, stores: stores)
        for listener in listeners { listener(event) }
        if contexts.isEmpty { return }
        // Once for all of them: they keep what they are given, and many may be idle.
        let changes = event.changes
        for context in contexts { context.take(changes) }
    }

    /// The next outcome whose turn has come; where there is none, nobody delivers any more.
    private func next() -> (ticket: Int, outcome: Outcome)? {
        state.withLock { state in
            guard let outcome = state.outcomes.removeValue(forKey: state.nextDelivery) else {
                state.delivering = nil
                return nil
            }
            defer { state.nextDelivery += 1 }
            return (state.nextDelivery, outcome)
        }
    }
}
