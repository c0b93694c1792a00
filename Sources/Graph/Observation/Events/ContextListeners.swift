import StrataModel

/// The listeners of a context and their pending events; only a context with listeners has one.
final class ContextListeners {
    typealias Listener = (ContextEvent) -> Void

    private var listeners: [(number: Int, listener: Listener)] = []
    private var liveQueries = LiveQueries()
    private var lastNumber = 0
    private let model: ManagedObjectModel
    private let tracker: ChangeTracker
    let recorder: ChangeRecorder
    /// Whether a listener asks for states before events.
    private(set) var isAsked = false
    /// The event that is being delivered.
    private(set) var delivered: ContextEvent?

    init(_ recorder: ChangeRecorder, of context: ManagedObjectContext) {
        self.recorder = recorder
        (model, tracker) = (context.model, context.tracker)
        tracker.recorder = recorder
    }

    var isEmpty: Bool { listeners.isEmpty && liveQueries.isEmpty && !isAsked }

    /// Limits the recording to changes that listeners need.
    private func updateObserved() { tracker.observe(model.entities.map { !keepsNothing || liveQueries.canBeAffected(by: $0) }) }

    /// Whether no listener needs states before events.
    var keepsNothing: Bool { listeners.isEmpty && !isAsked }

    /// Keeps states before events from now on.
    func ask() {
        isAsked = true
        updateObserved()
    }

    func add(_ listener: @escaping Listener) -> Int { numbering { listeners.append(($0, listener)) } }

    func add(_ subscriber: LiveQueries.Subscriber) -> Int { numbering { liveQueries.add($0, subscriber) } }

    private func numbering(_ add: (Int) -> Void) -> Int {
        lastNumber += 1
        add(lastNumber)
        updateObserved()
        return lastNumber
    }

    func remove(_ number: Int) {
        listeners.removeAll { $0.number == number }
        liveQueries.remove(number)
        updateObserved()
    }

    /// The events during the delivery of another one, with those that live queries get.
    private var waiting: [(event: ContextEvent, liveEvents: [ContextEvent])] = []
    private var isNotifying = false

    /// Notifies all listeners, in the order of subscription, and then the live queries that the event can affect.
    ///
    /// Events that listeners cause are delivered to all after it.
    func notify(_ event: ContextEvent) { notify([(event, [event])]) }

    /// Notifies of a merge, and of its changes of registered objects.
    ///
    /// Live queries are notified of the objects first: what they fetch then includes all that the merge changed.
    func notify(merge: ContextEvent, _ changes: ContextEvent) {
        notify(changes.isEmpty ? [(merge, [merge])] : [(merge, []), (changes, [changes, merge])])
    }

    private func notify(_ events: [(event: ContextEvent, liveEvents: [ContextEvent])]) {
        waiting += events
        if isNotifying { return }
        isNotifying = true
        defer { (isNotifying, delivered) = (false, nil) }
        while !waiting.isEmpty {
            let (event, liveEvents) = waiting.removeFirst()
            delivered = event
            for (number, listener) in listeners where listeners.contains(where: { $0.number == number }) { listener(event) }
            for event in liveEvents { liveQueries.notify(event) }
        }
    }
}
