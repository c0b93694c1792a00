import StrataEvaluation
import StrataModel
import StrataSQL
import StrataStore

/// Orders and values of plans.
extension PostgreSQLDialect {
    // The protocol counts the parameters of a statement in 16 bits.
    static let mostParameters = 32_000
    static let usesInexactConditions = true
    static let noLimit: Int64? = nil
    static let nullsFirst: StaticString = " NULLS FIRST"

    static func conditions(_ conditions: [SQLText], ofEntities numbers: [Int]) -> [SQLText] {
        ["\(column: EntityTable.entity) IN (\(numbers: numbers))"] + conditions
    }

    /// `t0."name" ASC NULLS FIRST`: for the core nothing precedes all values.
    static func orderTerm(_ column: SQLExpression, _ sort: ResolvedSort) -> SQLText? {
        guard sort.path.variable == 0, sort.options.isEmpty, sort.path.attribute != nil, column.kind != .binary else { return nil }
        return "\(column.sql)\(sort.ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST")"
    }

    /// `SELECT t0."name" FROM "s"."person" t0 WHERE … ORDER BY …`, different ones with `GROUP BY t0."name"`.
    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler) -> (sql: SQLText, values: ValueQuery)? {
        let isGrouped = ValueQuery.isGrouped(plan, compiler.plan.sort)
        let key = SQLText("\(column: EntityTable.id)")
        // Values come without the references by which they would be brought into order.
        guard let order = compiler.order(always: true, then: isGrouped ? "min(\(key))" : key),
            let query = ValueQuery(plan, isGrouped: isGrouped, &compiler.compiler.scope)
        else { return nil }
        let columns = query.columns.isEmpty ? ["1"] : query.columns.map(\.column)
        var sql = compiler.select("SELECT \(columns)")
        if isGrouped { sql.add(" GROUP BY \(columns)") }
        sql.add(order)
        if !plan.isDistinct || isGrouped { compiler.addSlice(to: &sql) }
        return (sql, query)
    }
}
