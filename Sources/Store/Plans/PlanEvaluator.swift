extension StoreReader {
    /// Answers a plan completely: the core does what the store leaves undone.
    ///
    /// - Throws: As ``StoreReader/execute(_:)``; `StoreError` with `unsupported` where the store's answer is of another
    ///   kind than the plan's result; `QueryError` for values that an expression cannot take.
    public func answer(_ plan: FetchPlan) throws -> StoreAnswer {
        if plan.isEvaluatedInCore {
            var all = FetchPlan(plan.entity, .rows)
            all.includesSubentities = plan.includesSubentities
            let remainder = Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true)
            return try PlanEvaluator.finish(plan, execute(all).requireRows(), remainder: remainder, with: self)
        }
        let answer = try execute(plan)
        guard case .rows(let rows, let remainder) = answer else { return try answer.require(plan.result) }
        return try PlanEvaluator.finish(plan, rows, remainder: remainder, with: self)
    }
}

/// The core's evaluation of plans: filters, sorts, slices, counts and groups rows by their bytes.
public enum PlanEvaluator {
    /// Finishes a plan over rows with a remainder.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that an expression cannot take.
    /// - Complexity: O(n) tests, and O(n log n) comparisons where the rows are to be sorted.
    public static func finish(
        _ plan: FetchPlan, _ rows: [Row], remainder: Remainder, with resolver: any RowResolver
    ) throws -> StoreAnswer {
        var rows = rows
        let slice = remainder.needsSlice ? plan.slice : ResultSlice()
        if let predicate = remainder.predicate {
            let test = RowPredicate(predicate)
            rows = try rows.filter { try test.passes($0, resolver) }
        }
        switch plan.result {
        case .groups(let grouping): return .groups(try group(rows, grouping, with: resolver))
        case .values(let values):
            if remainder.needsSort { try RowOrder(plan.sort).sort(&rows, resolver, first: values.isDistinct ? nil : slice.end()) }
            let columns = values.columns.map { RowExpression($0) }
            if !values.isDistinct {
                return .values(try slice(rows).map { row in try columns.map { try $0.value(row, resolver) } })
            }
            let end = slice.end()
            var seen = TupleSet()
            var tuples: [[Value]] = []
            for row in rows {
                if let end, tuples.count >= end { break }
                let tuple = try columns.map { try $0.value(row, resolver) }
                if seen.insert(tuple) { tuples.append(tuple) }
            }
            return .values(slice(tuples))
        case .count: return .count(slice(rows.count))
        case .rows, .references:
            if remainder.needsSort { try RowOrder(plan.sort).sort(&rows, resolver, first: slice.end()) }
            rows = slice(rows)
            guard case .references = plan.result else { return .rows(rows, .nothing) }
            return .references(rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) })
        }
    }

    /// Groups rows; without keys into one group, even without rows.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that an expression cannot take.
    public static func group(_ rows: [Row], _ plan: GroupPlan, with resolver: any RowResolver) throws -> [Group] {
        var grouper = RowGrouper(plan)
        for row in rows { try grouper.add(row, resolver) }
        return grouper.groups
    }

    /// Combines the groups of several stores.
    public static func combine(_ parts: [[Group]]) -> [Group] {
        guard parts.count > 1 else { return parts.first ?? [] }
        var indexes: [TupleKey: Int] = [:]
        var combined: [Group] = []
        for group in parts.joined() {
            let key = TupleKey(group.keys)
            if let index = indexes[key] {
                for position in group.partials.indices { combined[index].partials[position].add(group.partials[position]) }
            } else {
                indexes[key] = combined.count
                combined.append(group)
            }
        }
        return combined
    }
}
