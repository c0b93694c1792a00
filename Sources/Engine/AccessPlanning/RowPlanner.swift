/// Chooses the access path to the rows that meet a predicate: references, parts of indexes, unions of them, and joins
/// from the other end of a relationship.
///
/// Costs are numbers of rows to read. A search for a better path is abandoned as soon as it costs more than it can
/// save.
public struct RowPlanner {
    let source: any IndexedRows
    /// The number of rows that were read for the search.
    public var rowsRead = 0
    /// The outlying slots of the hierarchies whose rows were read.
    @usableFromInline var outlyingSlots: [EntityIndex: Set<Slot>] = [:]

    /// Creates a planner of the rows of a store.
    public init(_ source: any IndexedRows) { self.source = source }

    /// The number of rows that is not worth a search.
    private static var few: Int { 32 }

    /// Returns the greatest number of keys of a list to look up; beyond that, testing every row costs less.
    static func lookups(_ rowCount: Int) -> Int { max(16, rowCount / 4) }

    /// Returns the access path to the rows of a plan.
    ///
    /// - Throws: What reading the indexes and rows throws.
    public mutating func plan(_ plan: FetchPlan) throws -> RowPlan {
        if let plan = try lookUp(plan) { return plan }
        var search = Search(plan.entity, plan.entities, plan.predicate?.conjuncts ?? [], source.storeID)
        if case .count = plan.result { search.countsOnly = true }
        let sorted = try traversal(plan, search)
        if let sorted, sorted.rest.isEmpty, plan.limit != nil {
            return RowPlan(.scan(from: search.first), rest: search.conjuncts, cost: 0, traversal: sorted)
        }
        let best = try choose(&search)
        if let first = search.first, plan.sort.isEmpty, let limit = plan.limit, best.cost > RowPlanner.few {
            // Page by page the whole index would be read for each page, the rows only once.
            let rowCount = try source.rowCount(root: plan.entity.root)
            if best.cost / max(1, limit) > rowCount / best.cost {
                return RowPlan(.scan(from: first), rest: search.conjuncts, cost: rowCount)
            }
        }
        guard let sorted else { return best }
        let isSame = if case .index(let match, _) = best.access { match.index === sorted.match.index } else { false }
        let isScan = if case .scan = best.access { true } else { false }
        if plan.limit != nil, best.cost > RowPlanner.few {
            let budget = isSame ? nil : max(256, best.cost / 4)
            best.traversal = RowPlan.Traversal(
                match: sorted.match, part: sorted.part, order: sorted.order, rest: sorted.rest, budget: budget)
        } else if isSame || (isScan && source.sortsByIndex && sorted.rest.isEmpty) {
            best.traversal = sorted
        }
        return best
    }

    /// Returns the path by an index that answers a plan's only comparison: the common case, spared the search for
    /// others.
    ///
    /// `nil` where there is none, or where it finds so many rows that a traversal may cost less.
    private func lookUp(_ plan: FetchPlan) throws -> RowPlan? {
        guard plan.sort.isEmpty, case .comparison(let comparison)? = plan.predicate,
            let condition = SlotCondition(comparison, storeID: source.storeID), !condition.keys.isEmpty
        else { return nil }
        let (conditions, entities, root) = ([condition], plan.entities, plan.entity.root)
        let rowCount = try source.rowCount(root: root)
        let lookups = RowPlanner.lookups(rowCount)
        var best: IndexMatch?
        for index in source.indexes(root: root) where index.elements[0].slot == condition.slot && index.covers(entities) {
            if let match = IndexMatch(index, conditions, lookups: lookups), match.score > best?.score ?? -1 { best = match }
        }
        guard let best, let part = try source.find(best, root: root) else { return nil }
        var greatest = max(RowPlanner.few, min(rowCount / 3, rowCount - 1))
        // Counting may traverse the index.
        if case .count = plan.result { greatest = RowPlanner.few }
        let count = try part.count(upTo: greatest)
        if count > greatest { return nil }
        return RowPlan(.index(best, part), rest: best.isExact && part.isExact ? [] : [.comparison(comparison)], cost: count)
    }

    mutating func choose(_ search: inout Search) throws -> RowPlan {
        if search.isContradictory { return RowPlan(.nothing, rest: [], cost: 0) }
        let rowCount = try source.rowCount(root: search.entity.root)
        let best = try direct(search, rowCount)
        guard best.cost > RowPlanner.few else { return best }
        var found = false
        for (position, conjunct) in search.conjuncts.enumerated() where search.answers[position] == .none {
            if try join(conjunct, position, &search, rowCount, best.cost) { found = true }
        }
        if search.isContradictory { return RowPlan(.references([]), rest: [], cost: 0, found: search.pathToOthers) }
        return found ? try direct(search, rowCount) : best
    }

    /// Returns the best path among references and single indexes, or an intersection of two indexes.
    private func direct(_ search: Search, _ rowCount: Int) throws -> RowPlan {
        var best = looked(up: search, rowCount)
        if search.slots.isEmpty || best?.cost ?? rowCount <= 1 {
            return best ?? RowPlan(.scan(from: search.first), rest: search.conjuncts, cost: rowCount)
        }
        var second: (match: IndexMatch, part: any IndexPart, cost: Int)?
        for match in matches(search, RowPlanner.lookups(rowCount)) {
            if let best, best.cost <= RowPlanner.few, case .index = best.access { break }
            guard let part = try source.find(match, root: search.entity.root) else { continue }
            let isExact = match.isExact && part.isExact
            let rest = isExact ? search.rest(behind: match) : search.conjuncts
            // Random access from entry to row costs more than a sequential scan.
            let isCountOfAll = search.countsOnly && isExact && match.index.entities == search.entities && rest.isEmpty
            let greatest = isCountOfAll ? rowCount : max(64, rowCount / 3)
            let bestCost = best?.cost ?? rowCount
            let count = try part.count(upTo: min(greatest, bestCost * 2))
            guard count <= greatest, count < bestCost || (isCountOfAll && count <= bestCost) else {
                if count <= greatest, count <= bestCost * 2 { second = (match, part, count) }
                continue
            }
            if let best, case .index(let other, let old) = best.access { second = (other, old, best.cost) }
            best = RowPlan(.index(match, part), rest: rest, cost: count, found: search.path(to: match))
        }
        guard let best else { return RowPlan(.scan(from: search.first), rest: search.conjuncts, cost: rowCount) }
        guard let second else { return best }
        return try intersected(best, second, search, rowCount)
    }

    /// Returns the path by references that conditions admit; `nil` where there are none, or too many.
    private func looked(up search: Search, _ rowCount: Int) -> RowPlan? {
        guard let first = search.references.min(by: { $0.references.count < $1.references.count }),
            first.references.count <= max(16, rowCount)
        else { return nil }
        var references = first.references
        // Intersecting with references found already costs nothing more.
        for other in search.references where other.position != first.position { references = references.intersection(other.references) }
        return RowPlan(
            .references(references), rest: search.rest { $0 == .references }, cost: references.count,
            found: search.references.flatMap(\.path))
    }

    /// Returns the matches of indexes, the most promising first.
    private func matches(_ search: Search, _ lookups: Int) -> [IndexMatch] {
        var matches: [IndexMatch] = []
        for index in source.indexes(root: search.entity.root) where index.covers(search.entities) && index.begins(with: search.slots) {
            if let match = IndexMatch(index, search.slots, lookups: lookups) { matches.append(match) }
        }
        if matches.count > 1 { matches.sort { $0.score > $1.score } }
        return matches
    }

    /// Returns the intersection of two indexes, where reading fewer rows is worth reading more entries.
    private func intersected(
        _ best: RowPlan, _ second: (match: IndexMatch, part: any IndexPart, cost: Int), _ search: Search, _ rowCount: Int
    ) throws -> RowPlan {
        guard case .index(let match, let part) = best.access, best.cost > 256, second.cost < best.cost * 2, second.cost < rowCount / 8,
            match.isExact, part.isExact, second.match.isExact, second.part.isExact, !second.match.isCovered(by: match), !best.rest.isEmpty
        else { return best }
        let references = try part.references().intersection(second.part.references())
        return RowPlan(
            .references(references), rest: search.rest { $0.isMade(by: match) || $0.isMade(by: second.match) }, cost: references.count,
            found: best.path + [.index(second.match.index.name)])
    }

    private func traversal(_ plan: FetchPlan, _ search: Search) throws -> RowPlan.Traversal? {
        if plan.sort.isEmpty || search.isContradictory || !search.references.isEmpty { return nil }
        switch plan.result {
        case .rows, .references: break
        case .count, .groups, .values: return nil
        }
        let lookups = RowPlanner.lookups(try source.rowCount(root: search.entity.root))
        var best: (match: IndexMatch, order: IndexMatch.Order)?
        for index in source.indexes(root: search.entity.root) where index.covers(search.entities) {
            guard let match = IndexMatch(index, search.slots, lookups: lookups, acceptsWhole: true), let order = match.order(plan.sort),
                match.score > best?.match.score ?? -1
            else { continue }
            best = (match, order)
        }
        guard let best, let part = try source.find(best.match, root: search.entity.root) else { return nil }
        let rest = best.match.isExact && part.isExact ? search.rest(behind: best.match) : search.conjuncts
        return RowPlan.Traversal(match: best.match, part: part, order: best.order, rest: rest, budget: nil)
    }
}
