import StrataStore
import Synchronization

/// Tells listeners of the saves of a coordinator, each once, in the order in which the stores took them.
///
/// A save takes a ticket while it holds the turns of its stores, so that of two saves over one store the first has the lower one, and
/// hands it back when it is over. Events go out in the order of the tickets; whoever hands back the one that the others wait for delivers.
final class SaveEvents: Sendable {
    /// What a listener is told by.
    typealias Listener = @Sendable (SaveEvent) -> Void

    /// A context, which batch requests reach.
    private struct Context {
        /// Whether it may have any of the objects.
        let isConcerned: @Sendable () -> Bool
        let listener: Listener
    }

    /// What became of a save that had a ticket.
    private typealias Outcome = (origin: TransactionOrigin, stores: [SaveEvent.StoreChanges])

    private struct State {
        var listeners: [Int: Listener] = [:]
        var contexts: [Int: Context] = [:]
        var nextListener = 0
        var nextTicket = 0
        var nextDelivery = 0
        var nextEvent = 1
        /// The tickets that came back before an earlier one.
        var outcomes: [Int: Outcome] = [:]
        var isDelivering = false
    }

    private let state = Mutex(State())

    /// Whether anybody is to be told of what is saved.
    func isObserved(_ origin: TransactionOrigin) -> Bool {
        let (isObserved, contexts) = state.withLock { state in
            (!state.listeners.isEmpty, origin.reachesAllContexts ? Array(state.contexts.values) : [])
        }
        return isObserved || contexts.contains { $0.isConcerned() }
    }

    /// Adds a listener; the answer removes it.
    func add(_ listener: @escaping Listener) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    /// Adds a context; the answer removes it.
    func add(_ isConcerned: @escaping @Sendable () -> Bool, _ listener: @escaping Listener) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.contexts[state.nextListener] = Context(isConcerned: isConcerned, listener: listener)
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
    func announce(_ origin: TransactionOrigin, _ commit: (inout [SaveEvent.StoreChanges]) throws -> Void) rethrows {
        let ticket = state.withLock { state in
            defer { state.nextTicket += 1 }
            return state.nextTicket
        }
        var changes: [SaveEvent.StoreChanges] = []
        defer { end(ticket, origin, changes) }
        try commit(&changes)
    }

    /// Takes a ticket back, and delivers what has come to its turn, unless somebody else does.
    private func end(_ ticket: Int, _ origin: TransactionOrigin, _ changes: [SaveEvent.StoreChanges]) {
        let delivers = state.withLock { state in
            state.outcomes[ticket] = (origin, changes.filter { !$0.isEmpty })
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard delivers else { return }
        while let (event, listeners) = next() {
            for listener in listeners { listener(event) }
        }
    }

    /// The next event whose turn has come; where there is none, nobody delivers any more.
    private func next() -> (SaveEvent, [Listener])? {
        state.withLock { state in
            while let outcome = state.outcomes.removeValue(forKey: state.nextDelivery) {
                state.nextDelivery += 1
                if outcome.stores.isEmpty { continue }
                let event = SaveEvent(number: state.nextEvent, origin: outcome.origin, stores: outcome.stores)
                state.nextEvent += 1
                let contexts = outcome.origin.reachesAllContexts ? state.contexts.mapValues(\.listener) : [:]
                return (event, state.listeners.merging(contexts) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value))
            }
            state.isDelivering = false
            return nil
        }
    }
}
