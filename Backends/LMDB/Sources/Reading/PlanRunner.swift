import CLMDB
import StrataModel
import StrataQuery
import StrataStore

/// Answers a plan: tests, sorts and groups rows in place, and copies only those that are handed out.
struct PlanRunner {
    let plan: FetchPlan
    let snapshot: Snapshot
    let tree: Schema.Tree
    let resolver: MappedResolver
    private let source: RowSource
    private let usesExternalValues: Bool
    private let greatestCount: Int?

    init(_ plan: FetchPlan, _ snapshot: Snapshot, storeUUID: String) throws {
        self.plan = plan
        self.snapshot = snapshot
        tree = try snapshot.tree(plan.entity.root)
        resolver = MappedResolver(snapshot: snapshot, uuid: storeUUID)
        source = RowSource(snapshot: snapshot, tree: tree, entities: plan.entities)
        usesExternalValues = ExternalUse.isMade(by: plan, snapshot.schema)
        greatestCount = plan.limit.map { max(0, $0).addingReportingOverflow(max(0, plan.offset)).partialValue }
            .flatMap { $0 < 0 ? nil : $0 }
    }

    func run() throws -> StoreAnswer {
        let rowCount = try Records.count(snapshot.transaction, tree.rows)
        let chooser = AccessChooser(plan: plan, schema: snapshot.schema, storeUUID: resolver.uuid, rowCount: rowCount)
        let access = try cheaper(chooser.choose(), rowCount)
        switch plan.result {
        case .count: return .count(PlanEvaluator.sliced(try count(access), plan))
        case .references where plan.sort.isEmpty || access.order != .none:
            if let references = try references(access) { return .references(references) }
        case .rows where plan.sort.isEmpty || access.order != .none:
            if let rows = try rows(access) { return .rows(rows, .nothing) }
        case .groups(let grouping):
            return .groups(try PlanEvaluator.group(try passing(access).rows, grouping, resolver))
        case .values:
            // Rows in place are gone with the snapshot: their values are computed here.
            return try PlanEvaluator.finish(plan, try passing(access).rows, Remainder(needsSort: true, needsSlice: true), resolver)
        default: break
        }
        return try sorted(access)
    }

    /// Many rows are found faster by reading all of them in a row.
    private func cheaper(_ access: Access, _ rowCount: Int) throws -> Access {
        guard case .index(let index, let ranges) = access.path, access.order == .none, !isCountedByIndex(access, index) else {
            return access
        }
        let references = try source.references(index, ranges)
        if references.count > 64, references.count > rowCount / 3 {
            return Access(path: .scan, residual: plan.predicate)
        }
        return Access(path: .references(references.sorted()), residual: access.residual)
    }

    /// Visits the rows that pass; false where the path's order cannot be kept.
    private func visit(_ access: Access, _ body: (StoredRow) throws -> Bool) throws -> Bool {
        guard let residual = access.residual else { return try source.visit(access, body) }
        let test = RowPredicate(residual)
        return try source.visit(access) { stored in
            let row = usesExternalValues ? try snapshot.rows.expanded(stored) : stored.row
            return try test.passes(row, resolver) ? try body(stored) : true
        }
    }

    // MARK: - Counting

    private func isCountedByIndex(_ access: Access, _ index: Schema.Index) -> Bool {
        guard case .count = plan.result else { return false }
        return access.residual == nil && plan.entities.lowerBound <= index.entities.lowerBound
            && plan.entities.upperBound >= index.entities.upperBound
    }

    private func count(_ access: Access) throws -> Int {
        switch access.path {
        case .scan where access.residual == nil && plan.entities == tree.entities:
            return try Records.count(snapshot.transaction, tree.rows)
        case .index(let index, let ranges) where isCountedByIndex(access, index):
            return try source.references(index, ranges).count
        default:
            var count = 0
            _ = try visit(access) { _ in
                count += 1
                return true
            }
            return count
        }
    }

    // MARK: - In the order of the path

    private func rows(_ access: Access) throws -> [Row]? {
        var rows: [Row] = []
        if greatestCount == 0 { return rows }
        var writer = RowWriter(chunkSize: chunkSize(access))
        if greatestCount == nil, access.residual == nil, case .scan = access.path, plan.entities == tree.entities {
            rows.reserveCapacity(try Records.count(snapshot.transaction, tree.rows))
        }
        var passed = 0
        let isInOrder = try visit(access) { stored in
            passed += 1
            if passed > plan.offset { rows.append(try snapshot.rows.copy(stored, &writer)) }
            return greatestCount.map { passed < $0 } ?? true
        }
        return isInOrder ? rows : nil
    }

    private func references(_ access: Access) throws -> [ObjectReference]? {
        var references: [ObjectReference] = []
        if greatestCount == 0 { return references }
        var passed = 0
        let isInOrder = try visit(access) { stored in
            passed += 1
            if passed > plan.offset {
                references.append(ObjectReference(entity: stored.row.entityIndex, reference: stored.row.reference))
            }
            return greatestCount.map { passed < $0 } ?? true
        }
        return isInOrder ? references : nil
    }

    private func chunkSize(_ access: Access) -> Int {
        if case .references(let references) = access.path, references.count < 64 { return 16 << 10 }
        return greatestCount.map { $0 < 64 } ?? false ? 16 << 10 : 256 << 10
    }

    // MARK: - All at once

    /// The rows that pass, in place, and the references of those whose values partly lie in files.
    private func passing(_ access: Access) throws -> (rows: [Row], tagged: Set<Int64>) {
        var unordered = access
        unordered.order = .none
        var rows: [Row] = []
        var tagged: Set<Int64> = []
        _ = try visit(unordered) { stored in
            if stored.isTagged && !usesExternalValues { tagged.insert(stored.row.reference) }
            rows.append(usesExternalValues ? try snapshot.rows.expanded(stored) : stored.row)
            return true
        }
        return (rows, tagged)
    }

    private func sorted(_ access: Access) throws -> StoreAnswer {
        var (rows, tagged) = try passing(access)
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
