import StrataModel
import StrataQuery

/// Chooses the way to the rows that meet a predicate: references, parts of indexes, unions of them, and objects found from the other end
/// of a relationship.
///
/// Costs are numbers of rows to look at. What is looked up to find a better way is given up as soon as it costs more than it can save.
package struct RowPlanner<Source: IndexedRows> {
    package typealias Plan = RowPlan<Source.Entries>

    let source: Source
    /// How many rows were read to find others.
    package var rowsRead = 0

    package init(_ source: Source) { self.source = source }

    /// So few rows are not worth a search for a better way.
    private static var few: Int { 32 }

    /// How many keys of a list are looked up one by one at most; beyond that, testing every row costs less.
    static func lookups(_ rowCount: Int) -> Int { max(16, rowCount / 4) }

    /// The way to the rows of a plan.
    package mutating func plan(_ plan: FetchPlan) throws -> Plan {
        let search = Search(entity: plan.entity, entities: plan.entities, conjuncts: plan.predicate?.conjuncts ?? [])
        var known = try conditions(search)
        var countsOnly = false
        if case .count = plan.result { countsOnly = true }
        let sorted = try walk(plan, search, known)
        if let sorted, sorted.rest.isEmpty, plan.limit != nil {
            return Plan(access: .scan, rest: search.conjuncts, cost: 0, path: [.index(sorted.match.index.name)], walk: sorted)
        }
        var best = try choose(search, &known, countsOnly: countsOnly)
        guard let sorted else { return best }
        let isSame = if case .index(let match, _) = best.access { match.index.place == sorted.match.index.place } else { false }
        var isScan = false
        if case .scan = best.access { isScan = true }
        if plan.limit != nil, best.cost > RowPlanner.few {
            let budget = isSame ? nil : max(256, best.cost / 4)
            best.walk = Plan.Walk(match: sorted.match, entries: sorted.entries, order: sorted.order, rest: sorted.rest, budget: budget)
        } else if isSame || (isScan && Source.sortsByIndex && sorted.rest.isEmpty) {
            best.walk = sorted
        }
        return best
    }

    // MARK: - What is known of the conditions

    /// What to look for.
    struct Search {
        let entity: EntityDescription
        let entities: Range<Int>
        let conjuncts: [ResolvedPredicate]
    }

    /// The conditions that indexes and references answer.
    struct Known {
        var slots: [Int: SlotCondition] = [:]
        /// The places, among the conjuncts, of the conditions over each slot.
        var places: [Int: Set<Int>] = [:]
        /// The references that conditions admit, upward, with the place of the condition.
        var references: [(place: Int, references: [Int64], path: [PlanExplanation.Access])] = []
        /// How the conditions over a slot were found that are about other objects.
        var paths: [Int: [PlanExplanation.Access]] = [:]
        var isContradictory = false

        mutating func add(_ condition: SlotCondition, _ place: Int) {
            if let other = slots[condition.slot] {
                slots[condition.slot]?.keys = other.keys.intersection(condition.keys)
            } else {
                slots[condition.slot] = condition
            }
            places[condition.slot, default: []].insert(place)
            if slots[condition.slot]?.keys.intervals.isEmpty ?? false { isContradictory = true }
        }
    }

    func conditions(_ search: Search) throws -> Known {
        var known = Known()
        for (place, conjunct) in search.conjuncts.enumerated() {
            if case .constant(false) = conjunct { known.isContradictory = true }
            if let references = RowPlanner.references(conjunct, source.storeUUID) {
                known.references.append((place, references, [.references]))
            } else if let condition = SlotCondition(conjunct, storeUUID: source.storeUUID) {
                known.add(condition, place)
            }
        }
        return known
    }

    /// The references that a condition on the object itself admits, upward; `nil` for another condition.
    private static func references(_ predicate: ResolvedPredicate, _ storeUUID: String?) -> [Int64]? {
        guard case .comparison(let comparison) = predicate, comparison.left.variable == 0, comparison.left.steps.isEmpty,
            case .object = comparison.left.leaf, let constant = comparison.right.constant
        else { return nil }
        let rootName = comparison.left.entity.rootName
        func isHere(_ id: ObjectID) -> Bool { id.storeUUID == storeUUID && id.reference > 0 && id.entity.rootName == rootName }
        switch (comparison.operator, constant) {
        case (.equal, .objectID(let id)): return isHere(id) ? [id.reference] : []
        case (.isIn, .list(let values)):
            var references: [Int64] = []
            references.reserveCapacity(values.count)
            for case .objectID(let id) in values where isHere(id) { references.append(id.reference) }
            return references.sortedUniquely()
        default: return nil
        }
    }

    // MARK: - Choosing

    mutating func choose(_ search: Search, _ known: inout Known, countsOnly: Bool = false) throws -> Plan {
        let rowCount = try source.rowCount(root: search.entity.root)
        if known.isContradictory { return Plan(access: .nothing, rest: [], cost: 0, path: [.nothing]) }
        var best = try direct(search, known, rowCount, countsOnly)
        guard best.cost > RowPlanner.few else { return best }
        let answered = Set(known.references.map(\.place)).union(known.places.values.joined())
        var found = false
        for (place, conjunct) in search.conjuncts.enumerated() where !answered.contains(place) {
            if try join(conjunct, place, search, &known, rowCount, best.cost) { found = true }
        }
        if known.isContradictory { return Plan(access: .nothing, rest: [], cost: 0, path: [.nothing]) }
        if found { best = try direct(search, known, rowCount, countsOnly) }
        return best
    }

    /// The best way among references and single indexes, or two indexes together.
    private func direct(_ search: Search, _ known: Known, _ rowCount: Int, _ countsOnly: Bool) throws -> Plan {
        var best = Plan(access: .scan, rest: search.conjuncts, cost: rowCount, path: [.scan])
        if let first = known.references.min(by: { $0.references.count < $1.references.count }), first.references.count <= max(16, rowCount) {
            var references = first.references
            // What is looked up already costs nothing more to intersect.
            for other in known.references where other.place != first.place { references = references.intersection(other.references) }
            let places = Set(known.references.map(\.place))
            best = Plan(
                access: .references(references), rest: search.rest(without: places), cost: references.count,
                path: known.references.flatMap(\.path).uniqued())
        }
        if known.slots.isEmpty || best.cost <= 1 { return best }
        let matches = source.indexes(root: search.entity.root).compactMap { index in
            search.isCovered(by: index) ? IndexMatch(index, known.slots, lookups: RowPlanner.lookups(rowCount)) : nil
        }
        var second: (match: IndexMatch, entries: Source.Entries, cost: Int)?
        for match in matches.sorted(by: { $0.score > $1.score }) {
            if best.cost <= RowPlanner.few, case .index = best.access { break }
            guard var entries = try source.find(match, root: search.entity.root) else { continue }
            let isExact = match.isExact && source.isExact(entries)
            let isCounted = countsOnly && isExact && match.index.entities == search.entities
            // Leaping from entry to row costs more than walking along the rows.
            let isCountOfAll = isCounted && search.rest(without: known.places(of: match)).isEmpty
            let greatest = isCountOfAll ? rowCount : max(64, rowCount / 3)
            let count = try source.count(&entries, upTo: min(greatest, best.cost * 2))
            guard count <= greatest, count < best.cost || (isCountOfAll && count <= best.cost) else {
                if count <= greatest, count <= best.cost * 2 { second = (match, entries, count) }
                continue
            }
            if case .index(let other, let old) = best.access { second = (other, old, best.cost) }
            best = Plan(
                access: .index(match, entries), rest: isExact ? search.rest(without: known.places(of: match)) : search.conjuncts,
                cost: count, path: (match.slots.sorted().flatMap { known.paths[$0] ?? [] } + [.index(match.index.name)]).uniqued())
        }
        return try intersected(best, second, search, known, rowCount)
    }

    /// Two indexes together, where fewer rows to read are worth more entries to walk.
    private func intersected(
        _ best: Plan, _ second: (match: IndexMatch, entries: Source.Entries, cost: Int)?, _ search: Search, _ known: Known, _ rowCount: Int
    ) throws -> Plan {
        guard let second, case .index(let match, let entries) = best.access, best.cost > 256, second.cost < best.cost * 2,
            second.cost < rowCount / 8, match.isExact, source.isExact(entries), second.match.isExact, source.isExact(second.entries),
            !second.match.slots.isSubset(of: match.slots), !best.rest.isEmpty
        else { return best }
        let references = try source.references(entries).intersection(source.references(second.entries))
        return Plan(
            access: .references(references),
            rest: search.rest(without: known.places(of: match).union(known.places(of: second.match))), cost: references.count,
            path: best.path + [.index(second.match.index.name)])
    }

    /// A walk in the plan's order.
    private func walk(_ plan: FetchPlan, _ search: Search, _ known: Known) throws -> Plan.Walk? {
        switch plan.result {
        case .rows, .references: break
        case .count, .groups, .values: return nil
        }
        if plan.sort.isEmpty || known.isContradictory || !known.references.isEmpty { return nil }
        let lookups = RowPlanner.lookups(try source.rowCount(root: search.entity.root))
        var best: (match: IndexMatch, order: IndexMatch.Order)?
        for index in source.indexes(root: search.entity.root) where search.isCovered(by: index) {
            guard let match = IndexMatch(index, known.slots, lookups: lookups, acceptsWhole: true), let order = match.order(plan.sort),
                match.score > best?.match.score ?? -1
            else { continue }
            best = (match, order)
        }
        guard let best, let entries = try source.find(best.match, root: search.entity.root) else { return nil }
        let isExact = best.match.isExact && source.isExact(entries)
        let rest = isExact ? search.rest(without: known.places(of: best.match)) : search.conjuncts
        return Plan.Walk(match: best.match, entries: entries, order: best.order, rest: rest, budget: nil)
    }
}

extension RowPlanner.Search {
    /// Whether every row that is looked for is in an index.
    func isCovered(by index: IndexDescription) -> Bool {
        index.entities.lowerBound <= entities.lowerBound && index.entities.upperBound >= entities.upperBound
    }

    func rest(without places: Set<Int>) -> [ResolvedPredicate] {
        conjuncts.enumerated().filter { !places.contains($0.offset) }.map(\.element)
    }
}

extension RowPlanner.Known {
    /// The places of the conditions that a match answers.
    func places(of match: IndexMatch) -> Set<Int> { match.slots.reduce(into: []) { $0.formUnion(places[$1] ?? []) } }
}
