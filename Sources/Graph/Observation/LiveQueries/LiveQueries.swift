import StrataModel

/// The live queries of a context, each of which is notified of events that can affect its answer.
struct LiveQueries {
    struct Subscriber {
        let interest: QueryInterest
        let notify: (ContextEvent, ChangeSummary) -> Void
    }

    private var liveQueries: [Int: Subscriber] = [:]
    /// The queries that read a hierarchy, by its root, in the order of subscription.
    private var byRoot: [EntityIndex: [(number: Int, subscriber: Subscriber)]] = [:]
    /// The queries that may read anything.
    private var unbounded: Set<Int> = []

    var isEmpty: Bool { liveQueries.isEmpty }

    /// Returns whether changes of an entity's objects can affect an answer.
    func canBeAffected(by entity: EntityDescription) -> Bool { !unbounded.isEmpty || byRoot[entity.root]?.isEmpty == false }

    mutating func add(_ number: Int, _ subscriber: Subscriber) {
        liveQueries[number] = subscriber
        if subscriber.interest.isUnbounded { unbounded.insert(number) }
        for root in subscriber.interest.related.union([subscriber.interest.root]) { byRoot[root, default: []].append((number, subscriber)) }
    }

    mutating func remove(_ number: Int) {
        guard let subscriber = liveQueries.removeValue(forKey: number) else { return }
        unbounded.remove(number)
        for root in subscriber.interest.related.union([subscriber.interest.root]) { byRoot[root]?.removeAll { $0.number == number } }
    }

    /// Notifies the queries whose answers an event can affect, in the order of subscription.
    ///
    /// - Complexity: O(n) in the queries that read any of the changed hierarchies.
    func notify(_ event: ContextEvent) {
        if liveQueries.isEmpty || event.kind == .willSave { return }
        let summary = ChangeSummary(event)
        for (_, subscriber) in concerned(by: summary) where subscriber.interest.isAffected(by: summary) {
            subscriber.notify(event, summary)
        }
    }

    private func concerned(by summary: ChangeSummary) -> [(number: Int, subscriber: Subscriber)] {
        let roots = summary.tally.roots
        if !summary.isAll && unbounded.isEmpty && roots.count == 1, let root = roots.first { return byRoot[root] ?? [] }
        var numbers: Set<Int> = summary.isAll ? Set(liveQueries.keys) : roots.isEmpty ? [] : unbounded
        for root in roots { for (number, _) in byRoot[root] ?? [] { numbers.insert(number) } }
        return numbers.sorted().compactMap { number in liveQueries[number].map { (number, $0) } }
    }
}
