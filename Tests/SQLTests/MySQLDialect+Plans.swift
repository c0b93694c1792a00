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

    static func selected(
        _ expression: ResolvedExpression, as use: SelectedValueUse, in compiler: inout Compiler
    ) -> Expression? {
        compiler.expression(expression).flatMap { use != .key || $0.isInteger ? $0 : nil }
    }

    static func groups(
        _ plan: GroupPlan, by keys: [Expression], _ operands: [Expression?], in compiler: inout Compiler
    ) -> GroupColumns<MySQLDialect>? {
        var aggregates: [[GroupColumn<MySQLDialect>]] = []
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            switch (aggregate.function, operand) {
            case (.count, nil): aggregates.append([GroupColumn("COUNT(*)", .count)])
            case (.max, let operand?) where operand.isInteger:
                aggregates.append([GroupColumn("MAX(\(operand.sql))", .maximum, kind: .integer)])
            default: return nil
            }
        }
        return GroupColumns(by: keys.map(\.sql), keys.map { [GroupColumn($0.sql, .key, kind: .integer)] }, aggregates)
    }

    static func values(_ plan: ValuePlan, in compiler: inout PlanCompiler<MySQLDialect>) -> (sql: Text, values: [SlotKind])? {
        guard !plan.isDistinct, let columns = compiler.compiler.selected(plan.columns, as: .value),
            let order = compiler.order(always: true)
        else { return nil }
        var sql = compiler.select("SELECT \(columns.map(\.sql))")
        sql.add(order)
        if compiler.wantsSlice { compiler.addSlice(to: &sql) }
        return (sql, columns.map(\.kind))
    }

    static var nextVersion: Text { "t0.`version` + 1" }

    static func assignment(_ computation: RowAssignments.Computation, in compiler: inout Compiler) -> Text? {
        compiler.expression(computation.expression).flatMap { $0.kind == computation.attribute.slotKind ? $0.sql : nil }
    }
}
