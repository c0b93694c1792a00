import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// A plan as far as it is said in SQL: which rows, in which order, and how many.
struct PlanQuery {
    private let plan: FetchPlan
    private let table: EntityTable
    private let conditions: [SQLText]
    /// What the core has to test of the rows that come.
    let remaining: ResolvedPredicate?
    private let order: [(column: SQLText, isAscending: Bool)]?
    /// The tables that the order is of, besides.
    private let joins: SQLText
    /// How the server groups, where the plan is for groups that it computes.
    private let grouping: GroupQuery?
    /// How the server answers values, where the plan is for them.
    private let values: ValueQuery?

    /// Whether the statement may fail where the core would go on: all is left to the core then.
    let mayFail: Bool

    /// - Parameter allowsFailures: Whether a statement is of use that fails where the core would go on.
    init(_ plan: FetchPlan, _ table: EntityTable, _ schema: StoreSchema, _ storeID: StoreID, allowsFailures: Bool = true) {
        self.plan = plan
        self.table = table
        var compiler = ConditionCompiler(
            QueryScope(schema, table: table, entity: plan.entity), storeID: storeID, allowsFailures: allowsFailures)
        var conditions: [SQLText] = []
        var remaining: [ResolvedPredicate] = []
        if plan.entities.count < table.tree.count { conditions.append(table.condition(plan.entities, alias: 0)) }
        for conjunct in plan.predicate?.conjuncts ?? [] {
            let condition = compiler.condition(conjunct)
            if let condition { conditions.append(condition.sql) }
            if condition?.isExact != true { remaining.append(conjunct) }
        }
        self.conditions = conditions
        self.remaining = remaining.isEmpty ? nil : remaining.count == 1 ? remaining[0] : .and(remaining)
        var joins = SQLText()
        order = PlanQuery.order(plan, &compiler.scope, &joins)
        self.joins = order == nil ? SQLText() : joins
        values = if case .values(let values) = plan.result, remaining.isEmpty { ValueQuery(values, plan, &compiler.scope) } else { nil }
        grouping = if case .groups(let groups) = plan.result, remaining.isEmpty { GroupQuery(groups, &compiler) } else { nil }
        mayFail = compiler.mayFail
    }

    /// Whether the rows come in the plan's order, once those that come unordered are in that of their references.
    var isSorted: Bool { order != nil }
    /// Whether the server orders rows: in the order of references alone they are as fast to bring here, where they often come so.
    var isOrdered: Bool { order?.isEmpty == false || isSliced && plan.isSliced }
    /// Whether the rows are those that offset and limit leave.
    var isSliced: Bool { isSorted && remaining == nil && plan.sliceIsOfRows }

    /// The columns of the plan's order; `nil` where only the core knows it.
    private static func order(
        _ plan: FetchPlan, _ scope: inout QueryScope, _ joins: inout SQLText
    ) -> [(column: SQLText, isAscending: Bool)]? {
        var order: [(SQLText, Bool)] = []
        for sort in plan.sort {
            let path = sort.path
            guard path.variable == 0, sort.options.isEmpty, path.attribute != nil, let slot = path.leafSlot else { return nil }
            switch path.leafKind {
            case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid: break
            default: return nil
            }
            guard let table = scope.join(path, to: &joins), let found = table.column(slot) else { return nil }
            order.append((SQLText("\(column: found.name, of: table.alias)"), sort.ascending))
        }
        return order
    }

    // MARK: - Statements

    /// The statement that answers the plan as far as the server does.
    func statement(_ decoder: RowDecoder) -> SQLText {
        if case .count = plan.result, remaining == nil { return count }
        return groups?.sql ?? tuples?.sql ?? rows(decoder)
    }

    /// `SELECT t0."name" FROM "s"."person" t0 WHERE … ORDER BY …`, different ones with `GROUP BY t0."name"`; `nil` where the core has to
    /// filter or to sort.
    var tuples: (sql: SQLText, query: ValueQuery)? {
        guard let values, isSorted else { return nil }
        var sql = SQLText("SELECT ")
        values.addColumns(to: &sql)
        sql.add(" ")
        var joins = joins
        joins.add(values.joins)
        addSource(joins, to: &sql)
        if values.isGrouped {
            sql.add(" GROUP BY ")
            values.addColumns(to: &sql)
        }
        addOrder(to: &sql, of: values)
        return (sql, values)
    }

    /// `SELECT t0."age", count(*) FROM "s"."person" t0 WHERE … GROUP BY t0."age" HAVING …`; `nil` where the core groups.
    var groups: (sql: SQLText, query: GroupQuery)? {
        guard let grouping else { return nil }
        var sql = SQLText("SELECT \(grouping.columns) ")
        addSource(grouping.joins, to: &sql)
        sql.add("\(grouping.grouping)\(grouping.selection)")
        return (sql, grouping)
    }

    /// `SELECT count(*) FROM "s"."person" t0 WHERE …`.
    var count: SQLText {
        var sql = SQLText("SELECT count(*) ")
        addSource(to: &sql)
        return sql
    }

    /// `SELECT t0."_id", t0."_entity" FROM "s"."person" t0 WHERE … ORDER BY … LIMIT …`.
    var references: SQLText {
        var sql = SQLText.selectingReferences
        sql.add(" ")
        addSource(joins, to: &sql)
        addOrder(to: &sql)
        return sql
    }

    func rows(_ decoder: RowDecoder) -> SQLText {
        var sql = SQLText("SELECT \(decoder.columns) ")
        addSource(joins, to: &sql)
        addOrder(to: &sql)
        return sql
    }

    private func addSource(_ joins: SQLText = SQLText(), to sql: inout SQLText) {
        sql.add("FROM \(table.name) t0\(joins)")
        addSelection(to: &sql)
    }

    /// ` WHERE …` of the table `t0`.
    func addSelection(to sql: inout SQLText) {
        if conditions.isEmpty { return }
        sql.add(" WHERE \(conditions, separator: " AND ")")
    }

    /// `ORDER BY t0."name" ASC NULLS FIRST, t0."_id" LIMIT 10 OFFSET 20`: the core has nothing before all values, and goes by reference last.
    private func addOrder(to sql: inout SQLText, of values: ValueQuery? = nil) {
        // Values come without the references by which they would be brought into order.
        guard isOrdered || values != nil else { return }
        let isGrouped = values?.isGrouped ?? false
        sql.add(" ORDER BY ")
        for (column, isAscending) in order ?? [] {
            sql.add("\(column)\(isAscending ? " ASC NULLS FIRST, " : " DESC NULLS LAST, ")")
        }
        if isGrouped { sql.add("min(") }
        sql.add(column: EntityTable.id)
        if isGrouped { sql.add(")") }
        guard isSliced || isGrouped else { return }
        if let limit = plan.limit { sql.add(" LIMIT \(bind: .bigint(Int64(max(0, limit))))") }
        if plan.offset > 0 { sql.add(" OFFSET \(bind: .bigint(Int64(plan.offset)))") }
    }
}

extension FetchPlan {
    /// Whether the answer is a part of what there is.
    fileprivate var isSliced: Bool { limit != nil || offset > 0 }

    /// Whether offset and limit are of rows: those of groups and of different values come later.
    var sliceIsOfRows: Bool {
        switch result {
        case .rows, .references: true
        case .count, .groups: false
        case .values(let values): !values.isDistinct
        }
    }
}
