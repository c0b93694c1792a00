import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore
import StrataText

/// A statement for a plan, and what it leaves to the core.
struct CompiledPlan {
    /// What the statement's results are.
    enum Output {
        case rows(RowDecoder)
        case references
        case count
        case groups(GroupQuery)
        case values(ValueQuery)
    }

    let sql: SQLText
    let output: Output
    let remainder: Remainder
    /// The conditions that the statement decides.
    let decided: [ResolvedPredicate]
    /// The conditions that it leaves to the core.
    let remaining: [ResolvedPredicate]

    /// Whether nothing is left to the core.
    var isWhole: Bool { remaining.isEmpty && !remainder.needsSort && !remainder.needsSlice }
}

/// Puts what SQL does exactly as the core does into a statement.
///
/// A fetch of people over thirty who work in Sales, by name, ten of them after twenty, becomes
///
/// ```sql
/// SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON t0 LEFT JOIN ZDEPT t1 ON t1.Z_PK = t0.ZDEPT
/// WHERE t0.ZAGE > ? AND t1.ZTITLE = ? ORDER BY t0.ZNAME, t0.Z_PK LIMIT ? OFFSET ?
/// ```
///
/// and `Tests/Statements` holds some seventy more. Only names, whole numbers and keywords of this program are in the text: see ``SQLText``.
struct PlanCompiler {
    private var plan: FetchPlan
    private let table: EntityTable
    private let store: SQLiteStore
    private let extent: Extent
    private let countsRows: Bool
    private var compiler: ConditionCompiler
    private var conditions: [SQLText] = []
    private var decided: [ResolvedPredicate] = []
    private var remaining: [ResolvedPredicate] = []

    /// The most parameters that conditions bring into a statement: SQLite compares each with all before it when it prepares one.
    private static let greatestParameterCount = 1024

    /// How much of a plan goes into the statement.
    enum Extent {
        /// All that SQL does as the core does.
        case everything
        /// Nothing: the statement lists the rows of the entity, because SQLite takes none of the size that the plan asks for.
        case nothing
    }

    /// The statement for a plan over the rows of a table.
    ///
    /// - Parameter countsRows: Whether the statement counts the rows of the table that it reads.
    static func compile(
        _ plan: FetchPlan, _ table: EntityTable, _ store: SQLiteStore, _ extent: Extent = .everything, countsRows: Bool = false
    ) -> CompiledPlan {
        var compiler = PlanCompiler(plan, table, store, extent, countsRows)
        return compiler.compile()
    }

    /// The clause by which a statement that changes the table `t0` takes all rows that a plan for references or a count selects:
    /// ` WHERE t0.ZHOURS > ?`, or ` WHERE t0.Z_PK IN (SELECT Z_PK FROM (SELECT t0.Z_PK, t0.Z_ENT FROM …))` where other tables are joined,
    /// or not all rows are taken.
    ///
    /// - Returns: `nil` where something of the plan is left to the core.
    static func selection(_ plan: FetchPlan, _ table: EntityTable, _ store: SQLiteStore) -> SQLText? {
        var plan = plan
        plan.result = .references
        var compiler = PlanCompiler(plan, table, store, .everything, false)
        guard compiler.remaining.isEmpty else { return nil }
        if compiler.compiler.scope.joinsNothing && !compiler.wantsSlice {
            var sql = SQLText()
            for (index, condition) in compiler.allConditions.enumerated() {
                sql.add("\(index == 0 ? " WHERE " : " AND ")\(condition)")
            }
            return sql
        }
        if !compiler.wantsSlice { compiler.plan.sort = [] }
        guard let references = compiler.references() else { return nil }
        return SQLText(" WHERE t0.Z_PK IN (SELECT Z_PK FROM (\(references.sql)))")
    }

    private init(_ plan: FetchPlan, _ table: EntityTable, _ store: SQLiteStore, _ extent: Extent, _ countsRows: Bool) {
        self.countsRows = countsRows
        self.plan = plan
        self.table = table
        self.store = store
        self.extent = extent
        let foreign = store.strays.roots.compactMap { store.schema.tables[$0] }.map { ($0.name, $0.numbers) }
        let scope = QueryScope(
            store.schema, table: table, entity: plan.entity, foreign: Dictionary(foreign) { first, _ in first })
        compiler = ConditionCompiler(scope, storeID: store.id)
        var parameters = 0
        for part in plan.predicate?.conjuncts ?? [] {
            // What a condition joins is joined in vain where it is left to the core.
            var trial = compiler
            if extent != .nothing, let sql = trial.compile(part), parameters + sql.bindings.count <= PlanCompiler.greatestParameterCount {
                compiler = trial
                parameters += sql.bindings.count
                conditions.append(sql)
                decided.append(part)
            } else {
                remaining.append(part)
            }
        }
    }

    private mutating func compile() -> CompiledPlan {
        if extent == .everything && remaining.isEmpty {
            switch plan.result {
            case .rows: break
            case .references: if let found = references() { return found }
            case .count: return whole(select("SELECT count(*)"), .count)
            case .groups(let grouping): if let found = groups(grouping) { return found }
            case .values(let values): if let found = self.values(values) { return found }
            }
        }
        return rows()
    }

    private func whole(_ sql: SQLText, _ output: CompiledPlan.Output) -> CompiledPlan {
        CompiledPlan(sql: sql, output: output, remainder: .nothing, decided: decided, remaining: remaining)
    }

    private var wantsSlice: Bool { plan.limit != nil || plan.offset > 0 }

    // MARK: - Results

    /// `SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME … FROM ZPERSON t0 WHERE … ORDER BY … LIMIT ?`, the core doing what is left.
    private mutating func rows() -> CompiledPlan {
        var isSorted = true
        var wantsSlice = wantsSlice
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
        let decoder = store.decoder(table, plan.entities)
        var columns = SQLText("SELECT ")
        decoder.addColumns(to: &columns)
        var sql = select(columns)
        if let order { sql.add(order) }
        if isSliced { addSlice(to: &sql) }
        let predicate: ResolvedPredicate? = remaining.count > 1 ? .and(remaining) : remaining.first
        return CompiledPlan(
            sql: sql, output: .rows(decoder),
            remainder: Remainder(predicate: predicate, needsSort: !isSorted, needsSlice: wantsSlice && !isSliced), decided: decided,
            remaining: remaining)
    }

    /// `SELECT t0.Z_PK, t0.Z_ENT FROM ZPERSON t0 WHERE … ORDER BY … LIMIT ?`.
    private mutating func references() -> CompiledPlan? {
        guard let order = order(always: wantsSlice) else { return nil }
        var sql = select("SELECT t0.Z_PK, t0.Z_ENT")
        sql.add(order)
        if wantsSlice { addSlice(to: &sql) }
        return whole(sql, .references)
    }

    /// ` FROM ZPERSON t0 WHERE …`, before which ``GroupQuery`` puts what to select.
    private mutating func groups(_ grouping: GroupPlan) -> CompiledPlan? {
        guard let query = GroupQuery(grouping, &compiler) else { return nil }
        return whole(select(""), .groups(query))
    }

    /// `SELECT t0.Z_PK, t0.ZNAME, t1.ZNAME FROM ZPERSON t0 LEFT JOIN ZPERSON t1 ON … WHERE … ORDER BY … LIMIT ?`.
    private mutating func values(_ values: ValuePlan) -> CompiledPlan? {
        guard let order = order(always: wantsSlice && !values.isDistinct), let query = ValueQuery(values, &compiler) else { return nil }
        var columns = SQLText("SELECT t0.Z_PK")
        query.addColumns(to: &columns)
        var sql = select(columns)
        sql.add(order)
        if wantsSlice && !values.isDistinct { addSlice(to: &sql) }
        return whole(sql, .values(query))
    }

    // MARK: - Order

    /// The order clause, ` ORDER BY t0.ZNAME, t0.ZAGE DESC, t0.Z_PK`, text that is folded first as `strata_key(3, t0.ZNAME)`; `nil` where the
    /// core has to sort.
    ///
    /// - Parameter always: Whether to ask for the order by reference too, which the rows are else brought into afterwards: asked for it,
    ///   SQLite would scan the table in that order rather than use an index.
    private mutating func order(always: Bool) -> SQLText? {
        var sql = SQLText()
        if plan.sort.isEmpty {
            if always { sql.add(" ORDER BY t0.Z_PK") }
            return sql
        }
        if extent == .nothing { return nil }
        sql.add(" ORDER BY ")
        for sort in plan.sort {
            guard let column = compiler.value(at: sort.path), PlanCompiler.isOrderedAlike(column) else { return nil }
            if column.kind == .string && TextOrder.preparesText(sort.options) {
                sql.add("\(SQLFunctions.orderKey)\(number: sort.options.rawValue), ")
                column.add(to: &sql)
                sql.add(")")
            } else {
                column.add(to: &sql)
            }
            sql.add(sort.ascending ? ", " : " DESC, ")
        }
        sql.add("t0.Z_PK")
        return sql
    }

    /// Whether a column's values are in the same order for SQLite as for the core.
    private static func isOrderedAlike(_ column: SQLExpression) -> Bool {
        switch column.kind {
        case .integer, .boolean, .double, .float, .date, .uuid, .reference, .string, .uri: true
        case .binary, .transformable: !column.isExternal
        case .decimal, .entity, .order: false
        }
    }

    // MARK: - Parts

    /// ` LIMIT ? OFFSET ?`; -1 is no limit.
    private func addSlice(to sql: inout SQLText) {
        sql.add(" LIMIT \(bind: .integer(Int64(plan.limit.map { max(0, $0) } ?? -1)))")
        if plan.offset > 0 { sql.add(" OFFSET \(bind: .integer(Int64(plan.offset)))") }
    }

    private func select(_ columns: SQLText) -> SQLText {
        var sql = columns
        compiler.scope.addSource(0, allConditions, to: &sql)
        return sql
    }

    /// The conditions of the plan, and what keeps other entities' rows out: `+t0.Z_ENT IN (2)`.
    private var allConditions: [SQLText] {
        var conditions = conditions
        if plan.entities != table.tree || store.strays.areIn(table) {
            // The plus keeps SQLite from preferring the index of entity numbers to one that the conditions could use.
            var entities = SQLText("\(conditions.isEmpty ? "t0.Z_ENT IN (" : "+t0.Z_ENT IN (")")
            entities.add("\(numbers: plan.entities.map { table.number(of: $0) }))")
            conditions.append(entities)
        }
        // First, as SQLite tests conditions in their order.
        if countsRows { conditions.insert(SQLText("strata_count(t0.Z_PK)"), at: 0) }
        return conditions
    }
}
