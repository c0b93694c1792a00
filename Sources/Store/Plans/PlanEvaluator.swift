import StrataModel
import StrataQuery

extension StoreReader {
    /// Answers a plan whole: what the store leaves undone is done here.
    public func answer(_ plan: FetchPlan) throws -> StoreAnswer {
        if plan.isEvaluatedInCore { return try answerInCore(plan) }
        let answer = try execute(plan)
        guard case .rows(let rows, let remainder) = answer else { return answer }
        return try PlanEvaluator.finish(plan, rows, remainder, self)
    }

    /// Answers a plan of which the store only lists the rows.
    private func answerInCore(_ plan: FetchPlan) throws -> StoreAnswer {
        var all = FetchPlan(plan.entity, .rows)
        all.includesSubentities = plan.includesSubentities
        let remainder = Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true)
        guard case .rows(let rows, _) = try execute(all) else {
            throw StoreError(.unsupported, .fetch, "a store answered something else where rows were asked for")
        }
        return try PlanEvaluator.finish(plan, rows, remainder, self)
    }
}

/// Does in the core what a store does not: filters, sorts, slices, counts and groups rows by their bytes.
public enum PlanEvaluator {
    /// Finishes a plan over rows of which `remainder` says what is left to do.
    ///
    /// - Complexity: O(n) tests, and O(n log n) comparisons where the rows are to be sorted.
    public static func finish(
        _ plan: FetchPlan, _ rows: [Row], _ remainder: Remainder, _ resolver: any RowResolver
    ) throws -> StoreAnswer {
        var rows = rows
        if let predicate = remainder.predicate {
            let test = RowPredicate(predicate)
            rows = try rows.filter { try test.passes($0, resolver) }
        }
        switch plan.result {
        case .groups(let grouping): return .groups(try group(rows, grouping, resolver))
        case .values(let values):
            if remainder.needsSort { try RowOrder(plan.sort).sort(&rows, resolver) }
            let columns = values.columns.map { RowExpression($0) }
            if !values.isDistinct {
                if remainder.needsSlice { rows = slice(rows, plan) }
                return .values(try rows.map { row in try columns.map { try $0.value(row, resolver) } })
            }
            let needed = remainder.needsSlice ? plan.limit.map { max(0, plan.offset).addingReportingOverflow(max(0, $0)) } : nil
            var seen = TupleSet()
            var tuples: [[Value]] = []
            for row in rows {
                if let needed, !needed.overflow, tuples.count >= needed.partialValue { break }
                let tuple = try columns.map { try $0.value(row, resolver) }
                if seen.insert(tuple) { tuples.append(tuple) }
            }
            return .values(remainder.needsSlice ? slice(tuples, plan) : tuples)
        case .count: return .count(remainder.needsSlice ? sliced(rows.count, plan) : rows.count)
        case .rows, .references:
            if remainder.needsSort { try RowOrder(plan.sort).sort(&rows, resolver) }
            if remainder.needsSlice { rows = slice(rows, plan) }
            guard case .references = plan.result else { return .rows(rows, .nothing) }
            return .references(rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) })
        }
    }

    /// The elements that offset and limit leave.
    public static func slice<T>(_ elements: [T], _ plan: FetchPlan) -> [T] {
        if plan.offset <= 0 && plan.limit == nil { return elements }
        let rest = elements.dropFirst(max(0, plan.offset))
        return Array(plan.limit.map { rest.prefix(max(0, $0)) } ?? rest)
    }

    /// The number of elements that offset and limit leave.
    public static func sliced(_ count: Int, _ plan: FetchPlan) -> Int {
        let rest = max(0, count - max(0, plan.offset))
        return plan.limit.map { min(rest, max(0, $0)) } ?? rest
    }

    /// Groups rows; without keys there is one group, also of no rows.
    public static func group(_ rows: [Row], _ plan: GroupPlan, _ resolver: any RowResolver) throws -> [Group] {
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
                for place in group.partials.indices { combined[index].partials[place].add(group.partials[place]) }
            } else {
                indexes[key] = combined.count
                combined.append(group)
            }
        }
        return combined
    }
}
