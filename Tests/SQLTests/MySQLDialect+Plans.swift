import StrataEvaluation
import StrataModel
import StrataSQL
import StrataStore

/// Orders, groups and values of plans.
extension MySQLDialect {
    typealias Groups = GroupColumns<MySQLDialect>
    typealias Values = [SlotKind]

    static let mostParameters = 65_535
    static let usesInexactConditions = true
    static let noLimit: Int64? = .max
    static let nullsFirst: StaticString = ""

    static func binding(_ number: Int64) -> Binding { .integer(number) }

    static func conditions(_ conditions: [Text], ofEntities numbers: [Int]) -> [Text] {
        conditions + ["t0.`entity` IN (\(numbers: numbers))"]
    }

    // A column's texts may be ordered as a language orders them.
    static func orderTerm(_ column: Expression, _ sort: ResolvedSort) -> Text? {
        if column.isText { return nil }
        return sort.ascending ? column.sql : "\(column.sql) DESC"
    }

    static func groups(_ plan: GroupPlan, in compiler: inout Compiler) -> GroupColumns<MySQLDialect>? {
        var keys: [Expression] = []
        for key in plan.keys {
            guard let key = compiler.expression(key), key.isInteger else { return nil }
            keys.append(key)
        }
        var aggregates: [[GroupColumn<MySQLDialect>]] = []
        for aggregate in plan.aggregates {
            let operand = aggregate.expression.flatMap { compiler.expression($0) }
            switch (aggregate.function, operand) {
            case (.count, nil): aggregates.append([GroupColumn("COUNT(*)", .count)])
            case (.max, let operand?) where operand.isInteger:
                aggregates.append([GroupColumn("MAX(\(operand.sql))", .maximum, .integer)])
            default: return nil
            }
        }
        return GroupColumns(by: keys.map(\.sql), keys.map { [GroupColumn($0.sql, .key, .integer)] }, aggregates)
    }

    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler<MySQLDialect>) -> (sql: Text, values: [SlotKind])? {
        var columns: [Expression] = []
        for column in plan.columns {
            guard let column = compiler.compiler.expression(column) else { return nil }
            columns.append(column)
        }
        guard !plan.isDistinct, let order = compiler.order(always: true) else { return nil }
        var sql = compiler.select("SELECT \(columns.map(\.sql))")
        sql.add(order)
        if compiler.wantsSlice { compiler.addSlice(to: &sql) }
        return (sql, columns.map(\.kind))
    }
}
