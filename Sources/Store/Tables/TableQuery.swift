import StrataModel
import StrataQuery

/// Answers a plan from a snapshot, finished in all its parts.
final class TableQuery {
    private let plan: FetchPlan
    private let reader: TableReader
    private let tree: TableSchema.Tree
    private let table: TreeTable
    private let path: TablePath
    /// What is left to test; `nil` where nothing is.
    private let test: RowPredicate?
    private let resolver: any RowResolver
    private let entities: Range<Int>
    /// Whether rows of other entities come up that are not asked for.
    private let checksEntity: Bool

    init(_ plan: FetchPlan, _ reader: TableReader) {
        self.plan = plan
        self.reader = reader
        let place = reader.schema.treeOfEntity[plan.entity.index]
        tree = reader.schema.trees[place]
        table = reader.version.trees[place]
        path = TablePath(plan, reader)
        test = path.rest.isEmpty ? nil : RowPredicate(path.rest.count == 1 ? path.rest[0] : .and(path.rest))
        resolver = reader
        entities = plan.entities
        switch path.access {
        case .index(let range): checksEntity = tree.indexes[range.index].entities != plan.entities
        default: checksEntity = tree.root.tree != plan.entities
        }
    }

    func answer() throws -> StoreAnswer {
        switch plan.result {
        case .count: return .count(PlanEvaluator.sliced(try count(), plan))
        case .groups(let grouping): return .groups(try PlanEvaluator.group(try collect(limit: nil), grouping, reader))
        case .rows: return .rows(try rows(), .nothing)
        case .values: return .rows(try collect(limit: nil), Remainder(needsSort: true, needsSlice: true))
        case .references:
            return .references(try rows().map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) })
        }
    }

    private func passes(_ row: Row) throws -> Bool {
        if checksEntity, !entities.contains(row.entityIndex) { return false }
        guard let test else { return true }
        return try test.passes(row, resolver)
    }

    private func count() throws -> Int {
        if test == nil {
            if case .scan = path.access { return table.count(plan.entities, tree) }
            if case .index(let range) = path.access, !checksEntity { return range.count }
        }
        var count = 0
        try forEach { row in
            if try passes(row) { count += 1 }
            return true
        }
        return count
    }

    /// The rows in the order of the plan, of which only those that offset and limit leave.
    private func rows() throws -> [Row] {
        let needed = plan.limit.flatMap { limit in
            let (end, overflow) = max(0, plan.offset).addingReportingOverflow(max(0, limit))
            return overflow ? nil : end
        }
        if plan.sort.isEmpty { return PlanEvaluator.slice(try collect(limit: needed), plan) }
        if let sorted = try rowsInIndexOrder(needed) { return PlanEvaluator.slice(sorted, plan) }
        return PlanEvaluator.slice(try sorted(try collect(limit: nil)), plan)
    }

    /// The rows that pass, by reference.
    private func collect(limit: Int?) throws -> [Row] {
        var rows: [Row] = []
        if limit == 0 { return rows }
        if test == nil, limit == nil { rows.reserveCapacity(path.access.cost(of: table.rows.count)) }
        try forEach { row in
            if try passes(row) { rows.append(row) }
            return rows.count != limit
        }
        return rows
    }

    /// Walks the rows to look at, upward by reference, until `body` returns false.
    private func forEach(_ body: (Row) throws -> Bool) throws {
        switch path.access {
        case .nothing: return
        case .scan: try table.rows.forEach(body)
        case .references(let references): try forEach(references, body)
        case .index(let range):
            var references: [Int64] = []
            references.reserveCapacity(range.count)
            let index = table.index(range.index, tree)
            for places in range.ranges {
                index.forEach(in: places) { entry in
                    references.append(entry.reference)
                    return true
                }
            }
            if !range.isOneKey || range.ranges.count > 1 { references.sort() }
            try forEach(references, body)
        }
    }

    private func forEach(_ references: [Int64], _ body: (Row) throws -> Bool) rethrows {
        for reference in references {
            if let row = table.rows[reference], try !body(row) { return }
        }
    }

    // MARK: - Order

    private func sorted(_ rows: [Row]) throws -> [Row] {
        let order = RowOrder(plan.sort)
        let first = plan.sort[0]
        guard first.path.steps.isEmpty, first.options.isEmpty, let slot = first.path.leafSlot, first.path.leafKind != .decimal else {
            var rows = rows
            try order.sort(&rows, reader)
            return rows
        }
        let element = IndexShape.Element(slot: slot, kind: first.path.leafKind)
        guard plan.sort.count > 1 else {
            let isAscending = first.ascending
            let keys = KeyWord.order(rows, element, { KeyWord.isDecisive($0, element.kind) }, ascending: isAscending) { a, b in
                let ordering = KeyWord.compare(a, b, element)
                return isAscending ? ordering : ordering.reversed
            }
            return keys.map { rows[$0.place] }
        }
        return try KeyWord.order(rows, element, { _ in false }, ascending: first.ascending) { a, b in
            try order.compare(a, resolver, b, resolver)
        }.map { rows[$0.place] }
    }

    /// The rows in order, read off an index: `nil` where none has the order, or where sorting is cheaper.
    private func rowsInIndexOrder(_ needed: Int?) throws -> [Row]? {
        guard plan.sort.count == 1, let sort = plan.sort.first, sort.path.steps.isEmpty, sort.options.isEmpty,
            let slot = sort.path.leafSlot, sort.path.leafKind != .decimal, let (number, places) = indexInOrder(of: slot, needed)
        else { return nil }
        let shape = IndexShape(entities: tree.indexes[number].entities, elements: [tree.indexes[number].elements[0]])
        let covers = tree.indexes[number].entities == plan.entities
        let index = table.index(number, tree)
        let limit = needed ?? .max
        var rows: [Row] = []
        if limit == 0 { return rows }
        /// Where the rows with the key of the last one begin.
        var start = 0
        func take(_ entry: IndexEntry) throws -> Bool {
            guard let row = table.rows[entry.reference] else { return true }
            if let last = rows.last, shape.compare(last, row) != .equal {
                finishRun()
                if rows.count >= limit { return false }
            }
            guard covers || entities.contains(row.entityIndex) else { return true }
            if let test, try !test.passes(row, resolver) { return true }
            rows.append(row)
            return true
        }
        /// Rows with one key go by reference, also downward and in an index with further slots.
        func finishRun() {
            if rows.count - start > 1 { rows[start...].sort { $0.reference < $1.reference } }
            start = rows.count
        }
        if sort.ascending {
            try index.forEach(in: places, take)
        } else {
            try index.forEachReversed(in: places, take)
        }
        finishRun()
        return rows
    }

    /// The index, and the part of it, to walk for rows in the order of a slot.
    private func indexInOrder(of slot: Int, _ needed: Int?) -> (Int, Range<Int>)? {
        switch path.access {
        case .index(let range):
            guard tree.indexes[range.index].elements[0].slot == slot, range.ranges.count == 1 else { return nil }
            return (range.index, range.ranges[0])
        case .scan:
            // Without a limit, or with a condition that few rows may meet, a walk from entry to row is no better than sorting.
            guard needed != nil, test == nil, let number = reader.schema.index(leadingWith: slot, of: plan.entity) else { return nil }
            return (number, 0..<table.index(number, tree).count)
        case .nothing, .references: return nil
        }
    }
}
