import StrataModel

/// The listeners of a context and their pending events; only a context with listeners has one.
final class ContextListeners {
    typealias Listener = (ContextEvent) -> Void

    private var listeners: [(number: Int, listener: Listener)] = []
    private var followers = QueryFollowers()
    private var lastNumber = 0
    private let model: ManagedObjectModel
    private let tracker: ChangeTracker
    let recorder: ChangeRecorder
    /// Whether a listener asks for states before events.
    private(set) var isAsked = false
    /// The event that is being delivered.
    private(set) var told: ContextEvent?

    init(_ recorder: ChangeRecorder, of context: ManagedObjectContext) {
        self.recorder = recorder
        (model, tracker) = (context.model, context.tracker)
        tracker.recorder = recorder
    }

    var isEmpty: Bool { listeners.isEmpty && followers.isEmpty && !isAsked }

    /// Limits the recording to changes that listeners need.
    private func updateHeard() {
        tracker.hear(model.entities.map { !keepsNothing || followers.canBeAffected(by: $0) })
    }

    /// Whether no listener needs states before events.
    var keepsNothing: Bool { listeners.isEmpty && !isAsked }

    /// Keeps states before events from now on.
    func ask() {
        isAsked = true
        updateHeard()
    }

    func add(_ listener: @escaping Listener) -> Int {
        lastNumber += 1
        listeners.append((lastNumber, listener))
        updateHeard()
        return lastNumber
    }

    func add(_ follower: QueryFollowers.Follower) -> Int {
        lastNumber += 1
        followers.add(lastNumber, follower)
        updateHeard()
        return lastNumber
    }

    func remove(_ number: Int) {
        listeners.removeAll { $0.number == number }
        followers.remove(number)
        updateHeard()
    }

    /// The events during the delivery of another one, with those that live queries get.
    private var waiting: [(event: ContextEvent, followed: [ContextEvent])] = []
    private var isTelling = false

    /// Notifies all listeners, in the order of subscription, and then the live queries that the event can affect.
    ///
    /// Events that listeners cause are delivered to all after it.
    func tell(_ event: ContextEvent) { tell([(event, [event])]) }

    /// Notifies of a merge, and of its changes of registered objects.
    ///
    /// Live queries are notified of the objects first: what they fetch then includes all that the merge changed.
    func tell(merge: ContextEvent, _ changes: ContextEvent) {
        tell(changes.isEmpty ? [(merge, [merge])] : [(merge, []), (changes, [changes, merge])])
    }

    private func tell(_ events: [(event: ContextEvent, followed: [ContextEvent])]) {
        waiting += events
        if isTelling { return }
        isTelling = true
        defer { (isTelling, told) = (false, nil) }
        while !waiting.isEmpty {
            let (event, followed) = waiting.removeFirst()
            tellAll(event, followed)
        }
    }

    private func tellAll(_ event: ContextEvent, _ followed: [ContextEvent]) {
        told = event
        for (number, listener) in listeners where listeners.contains(where: { $0.number == number }) { listener(event) }
        for event in followed { followers.tell(event) }
    }
}
