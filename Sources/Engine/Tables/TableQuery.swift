import StrataModel
import StrataQuery
import StrataStore
import StrataText

/// Answers a plan from a snapshot, finished in all its parts.
final class TableQuery {
    private let plan: FetchPlan
    private let reader: TableReader
    private let tree: TableSchema.Tree
    private let rowTable: RowTable
    private let path: RowPlan
    /// What is left to test; `nil` where nothing is.
    private let test: RowPredicate?
    private let resolver: any RowResolver
    private let entities: Range<Int>
    /// Whether rows of other entities come up that are not asked for.
    private let checksEntity: Bool
    /// How many rows were looked at.
    private var rowsRead = 0
    /// Whether the rows were found along an index in their order.
    private var isWalked = false

    init(_ plan: FetchPlan, _ reader: TableReader) throws {
        self.plan = plan
        self.reader = reader
        let place = reader.schema.treeOfEntity[plan.entity.index]
        tree = reader.schema.trees[place]
        rowTable = reader.version.trees[place].rows
        var planner = RowPlanner(reader)
        path = try planner.plan(plan)
        rowsRead = planner.rowsRead
        test = path.test.map { RowPredicate($0) }
        resolver = reader
        entities = plan.entities
        switch path.access {
        case .index(let match, _): checksEntity = match.index.entities != plan.entities
        default: checksEntity = tree.root.tree != plan.entities
        }
    }

    private var table: TreeTable { reader.version.trees[reader.schema.treeOfEntity[tree.root.index]] }

    func answer() throws -> StoreAnswer {
        switch plan.result {
        case .count: return .count(PlanEvaluator.sliced(try count(), plan))
        case .groups(let grouping): return .groups(try groups(grouping))
        case .rows: return .rows(try rows(), .nothing)
        case .values: return .rows(try collect(limit: nil), Remainder(needsSort: true, needsSlice: true))
        case .references:
            return .references(try rows().map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) })
        }
    }

    /// Answers the plan, and says how.
    func explanation() throws -> PlanExplanation {
        _ = try answer()
        let walk = isWalked ? path.walk : nil
        var explanation = PlanExplanation(access: walk.map { [.index($0.match.index.name)] } ?? path.path, rowsRead: rowsRead)
        explanation.decided = plan.predicate?.conjuncts.map(\.description) ?? []
        explanation.tested = (walk?.rest ?? path.rest).map(\.description)
        if case .values = plan.result { return explanation }
        explanation.isSorted = true
        explanation.isSliced = true
        explanation.isComputed = true
        return explanation
    }

    private func passes(_ row: Row) throws -> Bool {
        if checksEntity, !entities.contains(row.entityIndex) { return false }
        guard let test else { return true }
        return try test.passes(row, resolver)
    }

    private func count() throws -> Int {
        if test == nil {
            if case .scan = path.access { return table.count(plan.entities, tree) }
            if case .index(_, let part) = path.access, !checksEntity { return try part.count(upTo: .max) }
        }
        var count = 0
        try forEach { row in
            if try passes(row) { count += 1 }
            return true
        }
        return count
    }

    private func groups(_ grouping: GroupPlan) throws -> [Group] {
        var grouper = RowGrouper(grouping)
        try forEach { row in
            if try passes(row) { try grouper.add(row, resolver) }
            return true
        }
        return grouper.groups
    }

    /// The rows in the order of the plan, of which only those that offset and limit leave.
    private func rows() throws -> [Row] {
        let needed = plan.limit.flatMap { limit in
            let (end, overflow) = max(0, plan.offset).addingReportingOverflow(max(0, limit))
            return overflow ? nil : end
        }
        if plan.sort.isEmpty { return PlanEvaluator.slice(try collect(limit: needed), plan) }
        try requireSortedBytes()
        if let walk = path.walk, let sorted = try rows(along: walk, needed) { return PlanEvaluator.slice(sorted, plan) }
        return PlanEvaluator.slice(try sorted(try collect(limit: nil)), plan)
    }

    /// Throws where an order of bytes needs values that could not be read.
    private func requireSortedBytes() throws {
        let slots = plan.sort.compactMap { sort in
            [.binary, .transformable].contains(sort.path.leafKind) && sort.path.steps.isEmpty ? sort.path.leafSlot : nil
        }
        if slots.isEmpty { return }
        for row in try collect(limit: nil) { for slot in slots { try row.requireAvailable(slot, .binary) } }
    }

    /// The rows that pass, by reference.
    private func collect(limit: Int?) throws -> [Row] {
        var rows: [Row] = []
        if limit == 0 { return rows }
        if test == nil, limit == nil { rows.reserveCapacity(path.cost) }
        if test == nil, limit == nil, !checksEntity {
            try forEach { row in
                rows.append(row)
                return true
            }
            return rows
        }
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
        case .scan:
            var seen = 0
            defer { rowsRead += seen }
            try rowTable.forEach { row in
                seen += 1
                return try body(row)
            }
        case .references(let references): try forEach(references, body)
        case .index(_, let part): try forEach(try part.references(), body)
        }
    }

    private func forEach(_ references: [Int64], _ body: (Row) throws -> Bool) rethrows {
        var seen = 0
        defer { rowsRead += seen }
        for reference in references {
            guard let row = rowTable[reference] else { continue }
            seen += 1
            if try !body(row) { return }
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

    /// The rows in order, read off an index: `nil` where the budget for it ran out first.
    private func rows(along walk: RowPlan.Walk, _ needed: Int?) throws -> [Row]? {
        guard let part = walk.part as? IndexRange else { return nil }
        let number = walk.match.index.place
        let shape = IndexShape(
            entities: tree.indexes[number].entities, elements: Array(tree.indexes[number].elements.prefix(walk.order.elements)))
        let covers = tree.indexes[number].entities == plan.entities
        let index = table.index(number, tree)
        let test = RowPlan.test(walk.rest).map { RowPredicate($0) }
        let limit = needed ?? .max
        var rows: [Row] = []
        isWalked = limit == 0
        if isWalked { return rows }
        /// Where the rows with the key of the last one begin.
        var start = 0
        var (isEnough, seen) = (false, 0)
        func take(_ entry: IndexEntry) throws -> Bool {
            guard let row = rowTable[entry.reference] else { return true }
            rowsRead += 1
            seen += 1
            if let last = rows.last, shape.compare(last, row) != .equal {
                finishRun()
                isEnough = rows.count >= limit
            }
            if isEnough || seen > walk.budget ?? .max { return false }
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
        for range in walk.order.isBackward ? part.ranges.reversed() : part.ranges where !isEnough {
            if walk.order.isBackward {
                try index.forEachReversed(in: range, take)
            } else {
                try index.forEach(in: range, take)
            }
            if !isEnough, seen > walk.budget ?? .max { return nil }
        }
        isWalked = true
        finishRun()
        return rows
    }
}
