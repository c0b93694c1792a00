import StrataModel
import StrataQuery

/// An index as a planner sees it.
package struct IndexDescription: Sendable {
    /// One slot of the key.
    package struct Element: Sendable, Hashable {
        package let slot: Int
        package let kind: SlotKind
        package let isAscending: Bool

        package init(slot: Int, kind: SlotKind, isAscending: Bool = true) {
            self.slot = slot
            self.kind = kind
            self.isAscending = isAscending
        }
    }

    /// The place among the engine's indexes of the tree.
    package let place: Int
    /// The name, as an explanation gives it.
    package let name: String
    /// The indexes of the entities whose rows are in the index.
    package let entities: Range<Int>
    /// The key, the most significant slot first.
    package let elements: [Element]
    /// Whether rows are in the index that have no value for an element.
    package let holdsNull: Bool
    /// Whether no two rows have one key.
    package let isUnique: Bool
    /// Whether the index is in an order, so that it answers ranges.
    package let isOrdered: Bool

    package init(
        place: Int, name: String, entities: Range<Int>, elements: [Element], holdsNull: Bool = true, isUnique: Bool = false,
        isOrdered: Bool = true
    ) {
        self.place = place
        self.name = name
        self.entities = entities
        self.elements = elements
        self.holdsNull = holdsNull
        self.isUnique = isUnique
        self.isOrdered = isOrdered
    }
}

/// The part of an index in which the rows lie that meet some conditions.
package struct IndexMatch {
    package let index: IndexDescription
    /// The keys of the leading elements, one array for each combination of them, in the order of the elements' values.
    package private(set) var prefixes: [[IndexKey]] = [[]]
    /// The keys of the element behind them, in their own order; `nil` for all.
    package private(set) var intervals: [KeySet.Interval]?
    /// The slots of which the conditions are answered.
    package private(set) var slots: Set<Int> = []
    /// Whether every row in the part meets the conditions over ``slots``.
    package private(set) var isExact = true

    /// How far the index goes along with conditions; `nil` where the first element does not, and no order is asked for.
    ///
    /// - Parameter lookups: How many keys are looked up one by one at most.
    init?(_ index: IndexDescription, _ conditions: [Int: SlotCondition], lookups: Int, acceptsWhole: Bool = false) {
        self.index = index
        for element in index.elements {
            guard let condition = conditions[element.slot], condition.kind == element.kind else { break }
            if !index.holdsNull, condition.keys.holdsNull { break }
            guard condition.keys.intervals.count * prefixes.count <= lookups else { break }
            // Several decimals have one word.
            if element.kind != .decimal, let keys = condition.keys.keys {
                prefixes = prefixes.flatMap { prefix in keys.map { prefix + [$0] } }
            } else {
                guard index.isOrdered else { break }
                intervals = condition.keys.intervals
            }
            slots.insert(element.slot)
            if !condition.keys.isExact { isExact = false }
            if intervals != nil { break }
        }
        if !index.holdsNull, slots.count < index.elements.count { return nil }
        if slots.isEmpty, !acceptsWhole { return nil }
    }

    /// How many leading elements have keys of their own in ``prefixes``.
    package var depth: Int { prefixes.first?.count ?? 0 }

    /// Whether there is at most one row.
    package var isOneRow: Bool { index.isUnique && depth == index.elements.count && prefixes.count <= 1 }

    /// Whether the rows of a combination of keys all have one key, so that they come by reference.
    package var isOneKey: Bool { depth == index.elements.count }

    /// The larger the better, where nothing is known of the rows.
    var score: Int {
        if isOneRow { return 1000 }
        let isClosed = intervals?.allSatisfy { $0.from != .after(.null) && $0.to != .end } ?? false
        return depth * 10 + (intervals == nil ? 0 : isClosed ? 6 : 3) - (prefixes.count > 1 ? 2 : 0)
    }

    /// Which way to walk the part for the rows in an order.
    package struct Order {
        package let isBackward: Bool
        /// How many elements of the index the order goes by.
        package let elements: Int
    }

    /// The way to walk the part for rows in an order; `nil` where the index does not have it.
    func order(_ sorts: [ResolvedSort]) -> Order? {
        guard !sorts.isEmpty, index.isOrdered else { return nil }
        let fixed = prefixes.count == 1 ? depth : 0
        let fixedSlots = Set(index.elements.prefix(fixed).map(\.slot))
        var place = 0
        var isBackward: Bool?
        for sort in sorts {
            guard sort.path.variable == 0, sort.path.steps.isEmpty, sort.options.isEmpty, sort.path.attribute != nil,
                let slot = sort.path.leafSlot
            else { return nil }
            if fixedSlots.contains(slot) { continue }
            while place < fixed { place += 1 }
            guard place < index.elements.count else { return nil }
            let element = index.elements[place]
            guard element.slot == slot, element.kind != .decimal, element.kind != .transformable else { return nil }
            let isDownward = sort.ascending != element.isAscending
            guard isBackward ?? isDownward == isDownward else { return nil }
            isBackward = isDownward
            place += 1
        }
        return Order(isBackward: isBackward ?? false, elements: max(place, fixed))
    }
}
