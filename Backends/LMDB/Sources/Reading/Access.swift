import FoundationEssentials
import StrataModel
import StrataQuery
import StrataStore

/// How the rows that a plan asks for are found.
struct Access {
    enum Path {
        /// Every row of the tree, by reference.
        case scan
        /// The rows with some references.
        case references([Int64])
        /// The rows whose to-one slot holds one of some references.
        case inverse(Schema.Index, of: [Int64])
        /// The rows with keys in some ranges of an index.
        case index(Schema.Index, [KeyRange])
    }

    /// The direction in which an index is in the order asked for.
    enum Order {
        case none, forward, backward
    }

    var path: Path
    /// What the path leaves to be tested.
    var residual: ResolvedPredicate?
    /// Whether the rows come in the plan's order.
    var order = Order.none
}

/// Chooses the way to the rows of a plan.
struct AccessChooser {
    let plan: FetchPlan
    let schema: Schema
    let storeUUID: String
    /// The number of rows in the plan's tree.
    let rowCount: Int

    /// How many keys of a list are looked up one by one at most; beyond that, testing every row costs less.
    private var greatestLookupCount: Int { max(16, rowCount / 4) }

    /// A comparison of a slot of the row itself with a constant, among the conditions that must all hold.
    private struct Condition {
        let place: Int
        let slot: Int
        let `operator`: QueryComparison.Operator
        let constant: Value
    }

    func choose() -> Access {
        let conjuncts = plan.predicate?.conjuncts ?? []
        var conditions: [Condition] = []
        for (place, conjunct) in conjuncts.enumerated() {
            switch conjunct {
            case .constant(false): return Access(path: .references([]), residual: nil)
            case .comparison(let comparison):
                guard comparison.left.steps.isEmpty, comparison.options.isEmpty, let constant = comparison.right.constant else { continue }
                if let references = objects(comparison, constant) {
                    return Access(path: references, residual: rest(conjuncts, without: [place]))
                }
                guard let slot = comparison.left.leafSlot else { continue }
                conditions.append(Condition(place: place, slot: slot, operator: comparison.operator, constant: constant))
            default: continue
            }
        }
        var best: (score: Int, access: Access)?
        for index in schema.indexes where covers(index) {
            if let candidate = match(index, conditions, conjuncts), candidate.score > best?.score ?? 0 { best = candidate }
        }
        return best?.access ?? Access(path: .scan, residual: plan.predicate)
    }

    private func covers(_ index: Schema.Index) -> Bool {
        !index.isInverse && index.entities.lowerBound <= plan.entities.lowerBound && index.entities.upperBound >= plan.entities.upperBound
    }

    // MARK: - Objects

    /// The way for `SELF ==`, `SELF IN`, and the same of a to-one relationship.
    private func objects(_ comparison: ResolvedComparison, _ constant: Value) -> Access.Path? {
        let values: [Value]
        switch (comparison.operator, constant) {
        case (.equal, .objectID): values = [constant]
        case (.isIn, .list(let list)): values = list
        default: return nil
        }
        var references: Set<Int64> = []
        for value in values {
            guard case .objectID(let id) = value else { return nil }
            if id.storeUUID == storeUUID && id.reference > 0 { references.insert(id.reference) }
        }
        switch comparison.left.leaf {
        case .object: return references.count > max(16, rowCount) ? nil : .references(references.sorted())
        case .attribute: return nil
        case .toOne(let relationship, let slot):
            if references.count > greatestLookupCount { return nil }
            let index = schema.indexes.first {
                $0.isInverse && $0.elements.first?.slot == slot && $0.entities.lowerBound == relationship.declaringEntity
                    && $0.entities.contains(plan.entity.index)
            }
            return index.map { .inverse($0, of: references.sorted()) }
        }
    }

    // MARK: - Indexes

    private func match(_ index: Schema.Index, _ conditions: [Condition], _ conjuncts: [ResolvedPredicate]) -> (score: Int, access: Access)?
    {
        var prefix: [UInt8] = []
        var used: Set<Int> = []
        var score = 0
        var equal = 0
        for element in index.elements {
            guard
                let condition = conditions.first(where: { $0.slot == element.slot && $0.operator == .equal }),
                let bytes = encoded(condition.constant, element), !(index.isUnique && condition.constant.isNull)
            else { break }
            prefix += element.isAscending ? bytes : bytes.map { ~$0 }
            if element.kind != .decimal { used.insert(condition.place) }
            equal += 1
            score += 10
        }
        var ranges: [KeyRange] = []
        var isPoints = false
        var matched = equal
        if equal < index.elements.count, let found = self.ranges(index.elements[equal], conditions, prefix) {
            (ranges, isPoints) = (found.ranges, found.isPoints)
            if found.ranges.allSatisfy(\.isExact) { used.formUnion(found.places) }
            score += found.score
            matched += 1
        } else {
            guard let whole = KeyRange(prefix: prefix, from: .before([]), to: .after([]), ascending: true) else { return nil }
            ranges = [whole]
        }
        guard !index.isUnique || matched == index.elements.count else { return nil }
        if index.isUnique && equal == matched { score += 5 }
        let order = isPoints && ranges.count > 1 ? .none : self.order(index.elements.dropFirst(equal))
        if order != .none { score += plan.limit == nil ? 2 : 6 }
        guard score > 0 else { return nil }
        return (score, Access(path: .index(index, ranges), residual: rest(conjuncts, without: used), order: order))
    }

    /// The keys of a slot that conditions leave.
    private func ranges(
        _ element: IndexElement,
        _ conditions: [Condition],
        _ prefix: [UInt8]
    ) -> (ranges: [KeyRange], places: Set<Int>, score: Int, isPoints: Bool)? {
        if let condition = conditions.first(where: { $0.slot == element.slot && $0.operator == .isIn }),
            case .list(let values) = condition.constant, values.count <= greatestLookupCount
        {
            var points: Set<[UInt8]> = []
            for value in values {
                guard let bytes = encoded(value, element), !value.isNull else { return nil }
                points.insert(bytes)
            }
            let ranges = points.sorted { $0.lexicographicallyPrecedes($1) }.compactMap {
                KeyRange(prefix: prefix, from: .before($0), to: .after($0), ascending: element.isAscending)
            }
            guard ranges.count == points.count else { return nil }
            return (ranges, element.kind == .decimal ? [] : [condition.place], 8, true)
        }
        var low: KeyCut?
        var high: KeyCut?
        var places: Set<Int> = []
        for condition in conditions where condition.slot == element.slot {
            guard let (from, to) = bounds(condition, element) else { continue }
            // A second bound on the same side is left to the test.
            guard from == nil || low == nil, to == nil || high == nil else { continue }
            low = from ?? low
            high = to ?? high
            if element.kind != .decimal { places.insert(condition.place) }
        }
        guard low != nil || high != nil else { return nil }
        let isNumber = element.kind == .double || element.kind == .float || element.kind == .date
        // Neither nil nor NaN is less or greater than anything.
        let end: KeyCut = isNumber ? .before([KeyEncoder.valueTag] + Array(repeating: 255, count: 8)) : .after([KeyEncoder.valueTag])
        let range = KeyRange(
            prefix: prefix,
            from: low ?? .before([KeyEncoder.valueTag]),
            to: high ?? end,
            ascending: element.isAscending
        )
        guard let range else { return nil }
        return ([range], places, low != nil && high != nil ? 6 : 3, false)
    }

    /// The places before and behind the keys that meet a condition.
    private func bounds(_ condition: Condition, _ element: IndexElement) -> (from: KeyCut?, to: KeyCut?)? {
        // Decimals of one nearest double are in no order.
        guard element.kind != .decimal, element.kind != .reference else { return nil }
        switch (condition.operator, condition.constant) {
        case (.beginsWith, .string(var text)) where element.kind == .string || element.kind == .uri:
            var encoder = KeyEncoder()
            text.withUTF8 { encoder.appendEscapedStart(UnsafeRawBufferPointer($0)) }
            let start = [KeyEncoder.valueTag] + encoder.bytes
            return (.before(start), .after(start))
        case (.between, .list(let values)) where values.count == 2:
            guard !values[0].isNull, !values[1].isNull, let low = encoded(values[0], element), let high = encoded(values[1], element) else {
                return nil
            }
            return (.before(low), .after(high))
        case (_, .null): return nil
        default:
            guard let bytes = encoded(condition.constant, element) else { return nil }
            switch condition.operator {
            case .less: return (nil, .before(bytes))
            case .lessOrEqual: return (nil, .after(bytes))
            case .greater: return (.after(bytes), nil)
            case .greaterOrEqual: return (.before(bytes), nil)
            default: return nil
            }
        }
    }

    private func encoded(_ constant: Value, _ element: IndexElement) -> [UInt8]? {
        var encoder = KeyEncoder()
        switch constant {
        case .double(let number) where number.isNaN: return nil
        case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: return nil
        case .decimal(let number) where number.isNaN: return nil
        case .objectID(let id) where element.kind == .reference:
            guard id.storeUUID == storeUUID, id.reference > 0 else { return nil }
            _ = encoder.append(.int(id.reference), .integer)
            return encoder.bytes
        default: return encoder.append(constant, element.kind) ? encoder.bytes : nil
        }
    }

    /// Whether elements are in the plan's order, read in one direction or the other.
    private func order(_ elements: ArraySlice<IndexElement>) -> Access.Order {
        guard !plan.sort.isEmpty, elements.count == plan.sort.count else { return .none }
        if case .groups = plan.result { return .none }
        if case .count = plan.result { return .none }
        var order = Access.Order.none
        for (element, sort) in zip(elements, plan.sort) {
            guard sort.path.steps.isEmpty, sort.options.isEmpty, sort.path.attribute != nil, sort.path.leafSlot == element.slot,
                element.kind != .decimal
            else { return .none }
            let direction = sort.ascending == element.isAscending ? Access.Order.forward : .backward
            guard order == .none || order == direction else { return .none }
            order = direction
        }
        return order
    }

    private func rest(_ conjuncts: [ResolvedPredicate], without used: Set<Int>) -> ResolvedPredicate? {
        let rest = conjuncts.enumerated().filter { !used.contains($0.offset) }.map(\.element)
        return rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    }
}
