import StrataStore
import Synchronization

/// Delivers the events of a coordinator's saves, and of remote changes, to listeners: each once, in commit order.
///
/// A save takes a ticket while it has the write locks of its stores, so that of two saves over one store the first has
/// the lower one, and returns it when it is over. Events are delivered in the order of the tickets, by the thread that
/// returns the next one.
final class SaveEvents: Sendable {
    typealias Listener = @Sendable (SaveEvent) -> Void

    /// The result of a save in the stores.
    struct Announcement {
        /// The changes that listeners are notified of.
        var stores: [SaveEvent.StoreChanges] = []
        var tracked: [(tracker: RemoteChangeTracker, changes: OwnChanges)] = []
    }

    enum Outcome {
        case saved(TransactionOrigin, Announcement)
        case read(RemoteChangeTracker, StoreDigest, since: Int)
        case nothing
    }

    private struct State {
        /// The listeners, each from a ticket on: an earlier save may still be being delivered to the others.
        var listeners: [Int: (listener: Listener, first: Int)] = [:]
        /// The contexts that batch requests reach.
        var contexts: [Int: (isConcerned: @Sendable () -> Bool, take: @Sendable (RemoteChanges) -> Void)] = [:]
        var nextListener = 0
        var nextTicket = 0
        var nextDelivery = 0
        var nextEvent = 1
        /// The outcomes that wait for an earlier ticket.
        var outcomes: [Int: Outcome] = [:]
        /// The delivering thread, if any.
        var delivering: UInt?
    }

    private let state = Mutex(State())
    private let log: WorkLog

    init(_ log: WorkLog) { self.log = log }

    func isObserved(_ origin: TransactionOrigin) -> Bool {
        let (isObserved, contexts) = state.withLock { state in
            (!state.listeners.isEmpty, origin.reachesAllContexts ? Array(state.contexts.values) : [])
        }
        return isObserved || contexts.contains { $0.isConcerned() }
    }

    /// Whether a listener is being notified on this thread.
    var isDeliveredHere: Bool { state.withLock { $0.delivering } == CurrentThread.id }

    func add(_ listener: @escaping Listener) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = (listener, state.nextTicket)
            return state.nextListener
        }
    }

    /// Adds a context, and returns its number.
    func add(_ isConcerned: @escaping @Sendable () -> Bool, _ take: @escaping @Sendable (RemoteChanges) -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.contexts[state.nextListener] = (isConcerned, take)
            return state.nextListener
        }
    }

    /// Removes a listener, or a context.
    func remove(_ number: Int) {
        let removed = state.withLock { ($0.listeners.removeValue(forKey: number), $0.contexts.removeValue(forKey: number)) }
        // Released without the lock, which their deallocation may need.
        withExtendedLifetime(removed) {}
    }

    /// Runs a commit and notifies the listeners of its changes, also where it throws after setting some.
    func announce(_ origin: TransactionOrigin, _ commit: (inout Announcement) throws -> Void) rethrows {
        let ticket = takeTicket()
        var announcement = Announcement()
        defer { end(ticket, .saved(origin, announcement)) }
        try commit(&announcement)
    }

    /// Takes the next ticket: no later event is delivered before it is returned.
    func takeTicket() -> Int {
        state.withLock { state in
            defer { state.nextTicket += 1 }
            return state.nextTicket
        }
    }

    /// Returns a ticket, and delivers the events that are due, unless another thread does.
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
                // Remote changes of the same objects come first, as they were committed first.
                notify(announcement.tracked.map { $0.tracker.record($0.changes) })
                notify(announcement.stores, origin, ticket)
            case .read(let tracker, let contents, let start): notify([tracker.compare(contents, since: start)])
            case .nothing: break
            }
        }
    }

    /// - Parameters:
    ///   - origin: The origin of the save; `nil` for others.
    ///   - ticket: The ticket of the save; remote changes are delivered to all listeners.
    private func notify(_ stores: [SaveEvent.StoreChanges], _ origin: TransactionOrigin? = nil, _ ticket: Int = .max) {
        let stores = stores.filter { !$0.isEmpty }
        if stores.isEmpty { return }
        if origin == nil { log.noteRemoteChanges(stores) }
        let (number, listeners, contexts) = state.withLock { state in
            defer { state.nextEvent += 1 }
            // Saves by others concern the contexts that merge automatically, which are listeners.
            let contexts = origin?.reachesAllContexts == true ? Array(state.contexts.values) : []
            let listeners = state.listeners.filter { $0.value.first <= ticket }.sortedByKey()
            return (state.nextEvent, listeners.map(\.value.listener), contexts)
        }
        let event = SaveEvent(number: number, origin: origin ?? TransactionOrigin(), isRemote: origin == nil, stores: stores)
        for listener in listeners { listener(event) }
        if contexts.isEmpty { return }
        // One value for all of them, as many may be idle and keep it.
        let changes = event.changes
        for context in contexts { context.take(changes) }
    }

    /// Returns the next outcome that is due; where there is none, this thread stops delivering.
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
