import CStrataLMDB
import StrataEngine
import StrataModel
import StrataQuery
import StrataStore

/// Answers a plan: tests, sorts and groups rows in place, and copies only those that are handed out.
final class PlanRunner {
    let plan: FetchPlan
    let snapshot: Snapshot
    let tree: StoreSchema.Tree
    let resolver: MappedResolver
    private let source: RowSource
    private let usesExternalValues: Bool
    private let greatestCount: Int?
    private let path: RowPlan
    /// How many rows were looked at.
    private var rowsRead: Int
    /// Whether the rows were found along an index in their order.
    private var isWalked = false

    init(_ plan: FetchPlan, _ snapshot: Snapshot, storeUUID: String) throws {
        self.plan = plan
        self.snapshot = snapshot
        tree = try snapshot.tree(plan.entity.root)
        resolver = MappedResolver(snapshot: snapshot, uuid: storeUUID)
        source = RowSource(snapshot: snapshot, tree: tree, entities: plan.entities)
        usesExternalValues = ExternalUse.isMade(by: plan, snapshot.schema)
        greatestCount = plan.limit.map { max(0, $0).addingReportingOverflow(max(0, plan.offset)).partialValue }
            .flatMap { $0 < 0 ? nil : $0 }
        var planner = RowPlanner(resolver)
        path = try planner.plan(plan)
        rowsRead = planner.rowsRead
    }

    func run() throws -> StoreAnswer {
        switch plan.result {
        case .count: return .count(PlanEvaluator.sliced(try count(), plan))
        case .references:
            if let references = try references() { return .references(references) }
        case .rows:
            if let rows = try rows() { return .rows(rows, .nothing) }
        case .groups(let grouping):
            var grouper = RowGrouper(grouping)
            try visit { stored in
                try grouper.add(usesExternalValues ? snapshot.rows.expanded(stored) : stored.row, resolver)
                return true
            }
            return .groups(grouper.groups)
        case .values:
            // Rows in place are gone with the snapshot: their values are computed here.
            return try PlanEvaluator.finish(plan, try passing().rows, Remainder(needsSort: true, needsSlice: true), resolver)
        }
        return try sorted()
    }

    /// Answers the plan, and says how.
    func explanation() throws -> PlanExplanation {
        _ = try run()
        let walk = isWalked ? path.walk : nil
        var explanation = PlanExplanation(access: walk.map { [.index($0.match.index.name)] } ?? path.path, rowsRead: rowsRead)
        explanation.decided = plan.predicate?.conjuncts.map(\.description) ?? []
        explanation.tested = (walk?.rest ?? path.rest).map(\.description)
        explanation.isSorted = true
        explanation.isSliced = true
        explanation.isComputed = true
        return explanation
    }

    /// Visits the rows that pass, by reference.
    private func visit(_ body: (StoredRow) throws -> Bool) throws {
        let test = path.test.map { RowPredicate($0) }
        try source.visit(path) { try passes($0, test) ? body($0) : true }
    }

    /// Visits the rows that pass, in the plan's order; false where that takes sorting.
    private func visitInOrder(_ body: (StoredRow) throws -> Bool) throws -> Bool {
        if plan.sort.isEmpty {
            try visit(body)
            return true
        }
        guard let walk = path.walk else { return false }
        let test = RowPlan.test(walk.rest).map { RowPredicate($0) }
        isWalked = try source.visit(walk, RowOrder(plan.sort), resolver) { try passes($0, test) ? body($0) : true }
        return isWalked
    }

    private func passes(_ stored: StoredRow, _ test: RowPredicate?) throws -> Bool {
        rowsRead += 1
        guard let test else { return true }
        return try test.passes(usesExternalValues ? snapshot.rows.expanded(stored) : stored.row, resolver)
    }

    // MARK: - Counting

    private func count() throws -> Int {
        if path.rest.isEmpty {
            if case .scan = path.access, plan.entities == tree.entities { return try Records.count(snapshot.transaction, tree.rows) }
            if case .index(let match, let part) = path.access, plan.entities == match.index.entities { return try part.count(upTo: .max) }
        }
        var count = 0
        try visit { _ in
            count += 1
            return true
        }
        return count
    }

    // MARK: - In the order of the path

    private func rows() throws -> [Row]? {
        var rows: [Row] = []
        isWalked = greatestCount == 0 && path.walk != nil
        if greatestCount == 0 { return rows }
        let few = min(path.walk == nil ? path.cost : .max, greatestCount ?? .max)
        var writer = RowWriter(chunkSize: few <= 1 ? 1024 : few < 64 ? 16 << 10 : 256 << 10)
        if greatestCount == nil, path.rest.isEmpty { rows.reserveCapacity(path.cost) }
        var passed = 0
        let isInOrder = try visitInOrder { stored in
            passed += 1
            if passed > plan.offset { rows.append(try snapshot.rows.copy(stored, &writer)) }
            return greatestCount.map { passed < $0 } ?? true
        }
        return isInOrder ? rows : nil
    }

    private func references() throws -> [ObjectReference]? {
        var references: [ObjectReference] = []
        isWalked = greatestCount == 0 && path.walk != nil
        if greatestCount == 0 { return references }
        var passed = 0
        let isInOrder = try visitInOrder { stored in
            passed += 1
            if passed > plan.offset {
                references.append(ObjectReference(entity: stored.row.entityIndex, reference: stored.row.reference))
            }
            return greatestCount.map { passed < $0 } ?? true
        }
        return isInOrder ? references : nil
    }

    // MARK: - All at once

    /// The rows that pass, in place, and the references of those whose values partly lie in files.
    private func passing() throws -> (rows: [Row], tagged: Set<Int64>) {
        var rows: [Row] = []
        var tagged: Set<Int64> = []
        try visit { stored in
            if stored.isTagged && !usesExternalValues { tagged.insert(stored.row.reference) }
            rows.append(usesExternalValues ? try snapshot.rows.expanded(stored) : stored.row)
            return true
        }
        return (rows, tagged)
    }

    private func sorted() throws -> StoreAnswer {
        var (rows, tagged) = try passing()
        try RowOrder(plan.sort).sort(&rows, resolver)
        rows = PlanEvaluator.slice(rows, plan)
        if case .references = plan.result {
            return .references(rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) })
        }
        var writer = RowWriter(chunkSize: rows.count < 64 ? 16 << 10 : 256 << 10)
        for place in rows.indices {
            let stored = StoredRow(row: rows[place], isTagged: tagged.contains(rows[place].reference))
            rows[place] = try snapshot.rows.copy(stored, &writer)
        }
        return .rows(rows, .nothing)
    }
}
