import StrataModel

/// Who follows the answers of queries in a context; each hears of the events that can affect its answer.
struct QueryFollowers {
    /// One who follows a query.
    final class Follower {
        let interest: QueryInterest
        let notify: (ContextEvent, ChangeSummary) -> Void

        init(interest: QueryInterest, notify: @escaping (ContextEvent, ChangeSummary) -> Void) {
            self.interest = interest
            self.notify = notify
        }
    }

    private var followers: [Int: Follower] = [:]
    /// Those that read of a tree, by its root, in the order in which they came.
    private var byRoot: [EntityIndex: [(number: Int, follower: Follower)]] = [:]
    /// Those that may read anything.
    private var unbounded: Set<Int> = []

    var isEmpty: Bool { followers.isEmpty }

    /// Returns whether what is changed of the objects of an entity can affect an answer.
    func canBeAffected(by entity: EntityDescription) -> Bool { !unbounded.isEmpty || byRoot[entity.root]?.isEmpty == false }

    mutating func add(_ number: Int, _ follower: Follower) {
        followers[number] = follower
        if follower.interest.isUnbounded { unbounded.insert(number) }
        for root in follower.interest.related.union([follower.interest.root]) { byRoot[root, default: []].append((number, follower)) }
    }

    mutating func remove(_ number: Int) {
        guard let follower = followers.removeValue(forKey: number) else { return }
        unbounded.remove(number)
        for root in follower.interest.related.union([follower.interest.root]) { byRoot[root]?.removeAll { $0.number == number } }
    }

    /// Tells those whose answers an event can affect, in the order in which they came.
    ///
    /// - Complexity: O(n) in the followers that read any of the trees of what was changed.
    func tell(_ event: ContextEvent) {
        if followers.isEmpty || event.kind == .willSave { return }
        let summary = ChangeSummary(event)
        for (_, follower) in concerned(by: summary) where follower.interest.isAffected(by: summary) { follower.notify(event, summary) }
    }

    private func concerned(by summary: ChangeSummary) -> [(number: Int, follower: Follower)] {
        let roots = summary.tally.roots
        if !summary.isAll && unbounded.isEmpty && roots.count == 1, let root = roots.first { return byRoot[root] ?? [] }
        var numbers: Set<Int> = summary.isAll ? Set(followers.keys) : roots.isEmpty ? [] : unbounded
        for root in roots { for (number, _) in byRoot[root] ?? [] { numbers.insert(number) } }
        return numbers.sorted().compactMap { number in followers[number].map { (number, $0) } }
    }
}
