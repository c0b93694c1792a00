import StrataModel

/// Who listens to a context, and what they are to hear next; only a context that somebody listens to has one.
final class ContextListeners {
    typealias Listener = (ContextEvent) -> Void

    private var listeners: [(number: Int, listener: Listener)] = []
    private var followers = QueryFollowers()
    private var lastNumber = 0
    private let model: ManagedObjectModel
    private let tracker: ChangeTracker
    let recorder: ChangeRecorder
    /// Whether somebody asks what objects were before an event, and will again.
    private(set) var isAsked = false
    /// The event that is told now.
    private(set) var told: ContextEvent?

    init(_ recorder: ChangeRecorder, of context: ManagedObjectContext) {
        self.recorder = recorder
        (model, tracker) = (context.model, context.tracker)
        tracker.recorder = recorder
    }

    /// Whether nothing has to be recorded.
    var isEmpty: Bool { listeners.isEmpty && followers.isEmpty && !isAsked }

    /// Has only those changes be recorded that somebody wants to hear of.
    private func updateHeard() {
        tracker.hear(model.entities.map { !keepsNothing || followers.canBeAffected(by: $0) })
    }

    /// Whether nobody has what objects were before an event be kept.
    var keepsNothing: Bool { listeners.isEmpty && !isAsked }

    /// Has what objects were before an event be kept from now on.
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

    /// The events that came while another one was told, with those that followers of queries hear then.
    private var waiting: [(event: ContextEvent, followed: [ContextEvent])] = []
    private var isTelling = false

    /// Tells all who listen, in the order in which they came, and then those who follow a query that the event can affect.
    ///
    /// What a listener gives rise to is told after it, to all.
    func tell(_ event: ContextEvent) { tell([(event, [event])]) }

    /// Tells of a merge, and of what it made of the objects that are here.
    ///
    /// Those who follow a query hear of the objects first: what they fetch for that is all that the merge changed of their answers.
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
