import StrataModel

/// Who follows the answers of queries in a context; each hears of the events that can affect its answer.
struct QueryFollowers {
    /// One who follows a query.
    struct Follower {
        let interest: QueryInterest
        let notify: (ContextEvent, ChangeSummary) -> Void
    }

    private var followers: [Int: Follower] = [:]
    /// Their numbers, by the roots of the trees that they read.
    private var byRoot: [EntityIndex: Set<Int>] = [:]
    /// Those that may read anything.
    private var unbounded: Set<Int> = []

    var isEmpty: Bool { followers.isEmpty }

    mutating func add(_ number: Int, _ follower: Follower) {
        followers[number] = follower
        if follower.interest.isUnbounded { unbounded.insert(number) }
        for root in follower.interest.related.union([follower.interest.root]) { byRoot[root, default: []].insert(number) }
    }

    mutating func remove(_ number: Int) {
        guard let follower = followers.removeValue(forKey: number) else { return }
        unbounded.remove(number)
        for root in follower.interest.related.union([follower.interest.root]) { byRoot[root]?.remove(number) }
    }

    /// Tells those whose answers an event can affect, in the order in which they came.
    ///
    /// - Complexity: O(n) in what was changed and in the followers that read any of the same trees.
    func tell(_ event: ContextEvent) {
        if followers.isEmpty || event.kind == .willSave { return }
        let summary = ChangeSummary(event)
        var numbers: Set<Int> = summary.isAll ? Set(followers.keys) : summary.roots.isEmpty ? [] : unbounded
        for root in summary.roots { numbers.formUnion(byRoot[root] ?? []) }
        for follower in numbers.sorted().compactMap({ followers[$0] }) where follower.interest.isAffected(by: summary) {
            follower.notify(event, summary)
        }
    }
}
