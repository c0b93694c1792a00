/// The part of an index with the rows that meet some conditions.
public final class IndexMatch {
    /// The index that has the rows.
    public let index: IndexDescription
    /// The number of leading elements with single keys.
    public let depth: Int
    /// The number of combinations of such keys.
    public let combinations: Int
    /// The keys, ``depth`` for each combination, in the order of the elements' values.
    private let keys: [IndexKey]
    /// The keys of the element behind them, in their own order; `nil` for all.
    public let intervals: [KeySet.Interval]?
    /// The number of leading elements whose conditions are answered.
    public let answered: Int
    /// Whether every row in the part meets the conditions over those elements.
    public let isExact: Bool

    /// Matches conditions; fails where the first element has none, unless a whole index is acceptable.
    ///
    /// - Parameters:
    ///   - conditions: The conditions, one per slot.
    ///   - lookups: The greatest number of keys to look up.
    init?(_ index: IndexDescription, _ conditions: [SlotCondition], lookups: Int, acceptsWhole: Bool = false) {
        var draft = IndexMatchDraft()
        for element in index.elements {
            guard draft.intervals == nil, let position = conditions.firstIndex(where: { $0.slot == element.slot }) else { break }
            let condition = conditions[position]
            guard condition.kind == element.kind, index.holdsNull || !condition.keys.holdsNull,
                condition.keys.count * draft.combinations <= lookups, draft.narrow(element, condition.keys, isOrdered: index.isOrdered)
            else { break }
        }
        if !index.holdsNull, draft.answered < index.elements.count { return nil }
        if draft.answered == 0, !acceptsWhole { return nil }
        self.index = index
        depth = draft.depth
        combinations = draft.combinations
        keys = draft.keys
        intervals = draft.intervals
        answered = draft.answered
        isExact = draft.isExact
    }

    /// Returns the keys of a combination.
    public func prefix(_ combination: Int) -> ArraySlice<IndexKey> { keys[(combination * depth)..<((combination + 1) * depth)] }

    func answers(_ slot: Slot) -> Bool { index.elements.prefix(answered).contains { $0.slot == slot } }

    func isCovered(by other: IndexMatch) -> Bool { index.elements.prefix(answered).allSatisfy { other.answers($0.slot) } }

    /// Whether there is at most one row.
    public var isOneRow: Bool { index.isUnique && depth == index.elements.count && combinations <= 1 }

    /// Whether the rows of a combination of keys all have one key, and are in the order of their references.
    public var isOneKey: Bool { depth == index.elements.count }

    /// The heuristic rank of the match, without statistics.
    var score: Int {
        if isOneRow { return 1000 }
        let isClosed = intervals?.allSatisfy { $0.from != .after(.null) && $0.to != .end } ?? false
        return depth * 10 + (intervals == nil ? 0 : isClosed ? 6 : 3) - (combinations > 1 ? 2 : 0)
    }

    /// The direction of a traversal for rows in an order.
    public struct Order {
        /// Whether the last key comes first.
        public let isBackward: Bool
        /// The number of the index's elements in the order.
        public let elements: Int
    }

    /// Returns the direction for rows in an order; `nil` where the index does not have it.
    func order(_ sorts: [ResolvedSort]) -> Order? {
        guard !sorts.isEmpty, index.isOrdered else { return nil }
        let fixed = combinations == 1 ? depth : 0
        var position = fixed
        var isBackward: Bool?
        for sort in sorts {
            guard sort.path.variable == 0, sort.path.steps.isEmpty, sort.options.isEmpty, sort.path.attribute != nil,
                let slot = sort.path.leafSlot
            else { return nil }
            if index.elements.prefix(fixed).contains(where: { $0.slot == slot }) { continue }
            guard position < index.elements.count else { return nil }
            let element = index.elements[position]
            guard element.slot == slot, element.kind != .decimal, element.kind != .transformable else { return nil }
            let isDownward = sort.ascending != element.isAscending
            guard isBackward ?? isDownward == isDownward else { return nil }
            isBackward = isDownward
            position += 1
        }
        return Order(isBackward: isBackward ?? false, elements: position)
    }
}

private struct IndexMatchDraft {
    var depth = 0
    var combinations = 1
    var keys: [IndexKey] = []
    var intervals: [KeySet.Interval]?
    var answered = 0
    var isExact = true

    /// Adds the keys of the next element; false where the index cannot look them up.
    mutating func narrow(_ element: IndexDescription.Element, _ set: KeySet, isOrdered: Bool) -> Bool {
        // Several decimals have one word.
        if element.kind != .decimal, set.isOfKeys {
            if combinations == 1, let key = set.onlyKey {
                keys.append(key)
            } else {
                combine(with: set.keys ?? [])
            }
            depth += 1
        } else {
            guard isOrdered else { return false }
            intervals = set.intervals
        }
        answered += 1
        if !set.isExact { isExact = false }
        return true
    }

    private mutating func combine(with next: [IndexKey]) {
        var combined: [IndexKey] = []
        combined.reserveCapacity(combinations * next.count * (depth + 1))
        for combination in 0..<combinations {
            for key in next {
                combined += keys[(combination * depth)..<((combination + 1) * depth)]
                combined.append(key)
            }
        }
        keys = combined
        combinations *= next.count
    }
}
