import CSQLite
import StrataModel
import StrataQuery
import StrataStore

/// Answers a plan: what SQL decides exactly goes into the statement, the rest is named as what remains.
struct PlanRunner {
    private let plan: FetchPlan
    private let table: EntityTable
    private let reader: SQLiteReader
    private var compiler: PredicateCompiler
    private var conditions: [SQLText] = []
    private var remaining: [ResolvedPredicate] = []

    /// Whether SQL only lists the rows, because it takes no statement of the size that the plan asks for.
    private let isPlain: Bool

    init(_ plan: FetchPlan, _ table: EntityTable, _ reader: SQLiteReader, isPlain: Bool = false) {
        self.isPlain = isPlain
        self.plan = plan
        self.table = table
        self.reader = reader
        compiler = PredicateCompiler(reader.store.schema, storeUUID: reader.store.uuid)
        for part in plan.predicate?.conjuncts ?? [] {
            if !isPlain, let sql = compiler.compile(part) { conditions.append(sql) } else { remaining.append(part) }
        }
    }

    /// Answers a plan.
    static func answer(_ plan: FetchPlan, _ table: EntityTable, _ reader: SQLiteReader) throws -> StoreAnswer {
        do {
            var runner = PlanRunner(plan, table, reader)
            return try runner.answer()
        } catch let error as StoreError {
            // More parameters, joins, levels or characters than SQLite takes: the core has no such limits.
            guard let failure = error.underlying as? SQLiteFailure, failure.isAboutLimits else { throw error }
            var runner = PlanRunner(plan, table, reader, isPlain: true)
            return try runner.answer()
        }
    }

    private mutating func answer() throws -> StoreAnswer {
        if isPlain { return try rows() }
        switch plan.result {
        case .rows: return try rows()
        case .references where remaining.isEmpty: return try references() ?? rows()
        case .count where remaining.isEmpty: return .count(PlanEvaluator.sliced(try count(), plan))
        case .groups(let grouping) where remaining.isEmpty:
            if let groups = try groups(grouping) { return .groups(groups) }
            return try rows()
        case .references, .count, .groups, .values: return try rows()
        }
    }

    // MARK: - Rows

    /// A statement that answers rows, and what it leaves undone.
    struct Selection {
        let sql: SQLText
        let decoder: RowDecoder
        let remainder: Remainder
    }

    /// The statement that answers the rows of the plan.
    mutating func selection() -> Selection {
        var isSorted = true
        var wantsSlice = plan.limit != nil || plan.offset > 0
        var slicesRows = true
        var order: SQLText?
        switch plan.result {
        case .rows, .references:
            order = self.order(always: wantsSlice && remaining.isEmpty)
            isSorted = order != nil
        case .count: break
        case .values(let values):
            order = self.order(always: wantsSlice && remaining.isEmpty)
            isSorted = order != nil
            slicesRows = !values.isDistinct
        case .groups: wantsSlice = false
        }
        let isSliced = wantsSlice && slicesRows && isSorted && remaining.isEmpty
        let decoder = reader.store.decoder(table, plan.entities)
        var sql = SQLText("SELECT ")
        decoder.addColumns(to: &sql)
        addSource(to: &sql)
        if let order { sql.add(order) }
        if isSliced { addSlice(to: &sql) }
        let predicate: ResolvedPredicate? = remaining.count > 1 ? .and(remaining) : remaining.first
        return Selection(
            sql: sql, decoder: decoder,
            remainder: Remainder(predicate: predicate, needsSort: !isSorted, needsSlice: wantsSlice && !isSliced))
    }

    private mutating func rows() throws -> StoreAnswer {
        let selection = selection()
        let statement = try reader.connection.statement(selection.sql)
        defer { statement.clear() }
        var rows: [Row] = []
        var writer = GrowingWriter()
        var isAscending = true
        var last = Int64.min
        while try statement.step("fetch") {
            let row = try writer.row(selection.decoder, statement)
            isAscending = isAscending && row.reference > last
            last = row.reference
            rows.append(row)
        }
        if plan.sort.isEmpty && !isAscending { rows.sort { $0.reference < $1.reference } }
        return .rows(rows, selection.remainder)
    }

    /// The order clause; `nil` where the core has to sort.
    ///
    /// - Parameter always: Whether to ask for the order by reference too, which the rows are else brought into afterwards: asked for it,
    ///   SQLite would scan the table in that order rather than use an index.
    private mutating func order(always: Bool) -> SQLText? {
        var sql = SQLText()
        if plan.sort.isEmpty {
            if always { sql.add(" ORDER BY t0.Z_PK") }
            return sql
        }
        if isPlain { return nil }
        sql.add(" ORDER BY ")
        for sort in plan.sort {
            guard let leaf = compiler.leaf(sort.path), PlanRunner.isOrderedAlike(leaf, sort) else { return nil }
            leaf.add(to: &sql)
            sql.add(sort.ascending ? ", " : " DESC, ")
        }
        sql.add("t0.Z_PK")
        return sql
    }

    /// Whether a column's values are in the same order for SQLite as for the core.
    private static func isOrderedAlike(_ leaf: JoinSet.Leaf, _ sort: ResolvedSort) -> Bool {
        switch leaf.kind {
        case .integer, .boolean, .double, .float, .date, .uuid, .reference: true
        case .string: sort.options.isEmpty
        case .uri: true
        case .binary, .transformable: leaf.column?.isExternal == false
        case .decimal, .entity, .order: false
        }
    }

    private func addSlice(to sql: inout SQLText) {
        sql.add(" LIMIT ")
        sql.bind(.integer(Int64(plan.limit.map { max(0, $0) } ?? -1)))
        if plan.offset > 0 {
            sql.add(" OFFSET ")
            sql.bind(.integer(Int64(plan.offset)))
        }
    }

    // MARK: - References and counts

    private mutating func references() throws -> StoreAnswer? {
        let isSliced = plan.limit != nil || plan.offset > 0
        guard let order = order(always: isSliced) else { return nil }
        var sql = SQLText("SELECT t0.Z_PK, t0.Z_ENT")
        addSource(to: &sql)
        sql.add(order)
        if isSliced { addSlice(to: &sql) }
        var found = try reader.references(sql, table)
        if plan.sort.isEmpty && !isSliced && !zip(found, found.dropFirst()).allSatisfy({ $0.reference < $1.reference }) {
            found.sort { $0.reference < $1.reference }
        }
        return .references(found)
    }

    private func count() throws -> Int {
        var sql = SQLText("SELECT count(*)")
        addSource(to: &sql)
        let statement = try reader.connection.statement(sql)
        defer { statement.clear() }
        return try statement.step("fetch") ? Int(statement.integer(0)) : 0
    }

    // MARK: - Groups

    private mutating func groups(_ grouping: GroupPlan) throws -> [Group]? {
        guard var query = GroupQuery(grouping, &compiler) else { return nil }
        var sql = SQLText("SELECT ")
        query.addColumns(to: &sql)
        addSource(to: &sql)
        query.addGrouping(to: &sql)
        let statement = try reader.connection.statement(sql)
        defer { statement.clear() }
        return try query.groups(statement, reader.connection)
    }

    // MARK: - Parts

    private func addSource(to sql: inout SQLText) {
        sql.add(" FROM ")
        sql.add(identifier: table.name)
        sql.add(" t0")
        compiler.joins.add(to: &sql)
        var isFirst = true
        func connect(_ sql: inout SQLText) {
            sql.add(isFirst ? " WHERE " : " AND ")
            isFirst = false
        }
        for condition in conditions {
            connect(&sql)
            sql.add(condition)
        }
        guard plan.entities != table.tree else { return }
        connect(&sql)
        // The plus keeps SQLite from preferring the index of entity numbers to one that the conditions could use.
        sql.add(conditions.isEmpty ? "t0.Z_ENT IN (" : "+t0.Z_ENT IN (")
        sql.add(plan.entities, separator: ", ") { $0.add(number: table.number(of: $1)) }
        sql.add(")")
    }
}
