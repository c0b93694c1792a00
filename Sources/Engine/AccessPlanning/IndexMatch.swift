import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// The part of an index in which the rows lie that meet some conditions.
public final class IndexMatch {
    /// The index that the part is of.
    public let index: IndexDescription
    /// How many leading elements have keys of their own.
    public let depth: Int
    /// How many combinations of such keys there are.
    public let combinations: Int
    /// The keys, ``depth`` for each combination, in the order of the elements' values.
    private let keys: [IndexKey]
    /// The keys of the element behind them, in their own order; `nil` for all.
    public let intervals: [KeySet.Interval]?
    /// Of how many leading elements the conditions are answered.
    public let answered: Int
    /// Whether every row in the part meets the conditions over those elements.
    public let isExact: Bool

    /// How far the index goes along with conditions; `nil` where the first element does not, and no order is asked for.
    ///
    /// - Parameters:
    ///   - conditions: One for each slot that there are any for.
    ///   - lookups: How many keys are looked up one by one at most.
    convenience init?(_ index: IndexDescription, _ conditions: [SlotCondition], lookups: Int, acceptsWhole: Bool = false) {
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
        self.init(index, draft)
    }

    private init(_ index: IndexDescription, _ draft: IndexMatchDraft) {
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

    /// Returns whether a slot's conditions are answered.
    func answers(_ slot: Slot) -> Bool {
        for position in 0..<answered where index.elements[position].slot == slot { return true }
        return false
    }

    /// Returns whether another match answers all that this one does.
    func isCovered(by other: IndexMatch) -> Bool { index.elements.prefix(answered).allSatisfy { other.answers($0.slot) } }

    /// Whether there is at most one row.
    public var isOneRow: Bool { index.isUnique && depth == index.elements.count && combinations <= 1 }

    /// Whether the rows of a combination of keys all have one key, so that they come by reference.
    public var isOneKey: Bool { depth == index.elements.count }

    /// The larger the better, where nothing is known of the rows.
    var score: Int {
        if isOneRow { return 1000 }
        let isClosed = intervals?.allSatisfy { $0.from != .after(.null) && $0.to != .end } ?? false
        return depth * 10 + (intervals == nil ? 0 : isClosed ? 6 : 3) - (combinations > 1 ? 2 : 0)
    }

    /// Which way to walk the part for the rows in an order.
    public struct Order {
        /// Whether the last key comes first.
        public let isBackward: Bool
        /// How many elements of the index the order goes by.
        public let elements: Int
    }

    /// Returns the way to walk the part for rows in an order; `nil` where the index does not have it.
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

/// A match in the making.
private struct IndexMatchDraft {
    var depth = 0
    var combinations = 1
    var keys: [IndexKey] = []
    var intervals: [KeySet.Interval]?
    var answered = 0
    var isExact = true

    /// Takes the keys of the next element in; false where the index cannot look them up.
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
