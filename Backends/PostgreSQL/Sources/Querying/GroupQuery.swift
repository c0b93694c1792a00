import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Groups, and what is computed over each, where the server computes it as the core does.
extension PostgreSQLDialect {
    static func groups(_ plan: GroupPlan, in compiler: inout ConditionCompiler) -> GroupColumns? {
        var keys: [ColumnOperand] = []
        for key in plan.keys {
            guard let operand = ColumnOperand(key, &compiler.scope, isKey: true) else { return nil }
            keys.append(operand)
        }
        var aggregates: [(function: GroupPlan.Function, operand: ColumnOperand?)] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                aggregates.append((.count, nil))
                continue
            }
            guard let operand = ColumnOperand(expression, &compiler.scope, isCounted: aggregate.function == .count),
                computes(aggregate.function, operand, isWhole: plan.isWhole, &compiler)
            else { return nil }
            aggregates.append((aggregate.function, operand))
        }
        var condition: Condition?
        if let tested = plan.condition {
            compiler.columns = keys.map { $0.kind == .decimal ? nil : $0.expression }
            for (function, operand) in aggregates { compiler.columns.append(self.tested(function, operand, &compiler)) }
            condition = compiler.condition(tested)
        }
        return GroupColumns(
            by: keys.map(\.column), keys.map { [GroupColumn($0.selected, .key, $0.kind)] + $0.zeroCheck },
            aggregates.map(columns), having: condition)
    }

    private static func computes(
        _ function: GroupPlan.Function, _ operand: ColumnOperand, isWhole: Bool, _ compiler: inout ConditionCompiler
    ) -> Bool {
        switch function {
        case .count: true
        // A sum that leaves the range of numbers fails.
        case .sum, .average: operand.kind == .integer || operand.isAddedInOrder && compiler.admitFailure()
        case .min, .max: operand.kind != .uuid && operand.kind != .uri && operand.kind != .reference
        case .countDistinct: isWhole && !operand.isFloating && operand.kind != .uri
        case .median: isWhole && (operand.kind == .integer || operand.isAddedInOrder)
        case .standardDeviation: false
        }
    }

    /// A result as groups are tested by it; `nil` where the core tests it.
    private static func tested(
        _ function: GroupPlan.Function, _ operand: ColumnOperand?, _ compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard let operand else { return SQLExpression("count(*)", kind: .integer) }
        if operand.isAddedInOrder && (function == .sum || function == .average) {
            guard compiler.admitFailure() else { return nil }
            let isSum = function == .sum
            return SQLExpression(
                isSum
                    ? "coalesce(\(operand.sumInOrder), 0)" : "(\(operand.sumInOrder) / NULLIF(\(operand.applied("count(")), 0))",
                kind: .double)
        }
        guard let result = AggregateSQL(function, operand.expression), !result.mayFail || compiler.admitFailure() else { return nil }
        return SQLExpression(result.sql, kind: result.kind, isNumber: true)
    }

    /// The columns of an aggregate: `count(*)`, `sum(t0."rate" ORDER BY t0."_id"), count(t0."rate")`, `max(t0."name")`.
    private static func columns(_ function: GroupPlan.Function, _ operand: ColumnOperand?) -> [GroupColumn] {
        guard let operand else { return [GroupColumn("count(*)", .count)] }
        let count = GroupColumn(operand.applied("count("), .count)
        switch function {
        // There is a sum where there is any value.
        case .sum where !operand.isAddedInOrder:
            return [GroupColumn(sum(operand.column), .sum, operand.kind), GroupColumn(operand.applied("sum("), .presence)]
        case .sum, .average:
            return [GroupColumn(operand.isAddedInOrder ? operand.sumInOrder : sum(operand.column), .sum, operand.kind), count]
        case .countDistinct: return [GroupColumn(operand.applied("count(DISTINCT "), .count)]
        case .median:
            let middle: StaticString = "percentile_disc(0.5) WITHIN GROUP (ORDER BY "
            return [
                GroupColumn(operand.applied(middle), .median, operand.kind),
                GroupColumn(operand.applied(middle, " DESC)"), .median, operand.kind), count,
            ] + (operand.isFloating ? [GroupColumn(operand.hasOddNumbers, .check, .boolean)] : [])
        case .min:
            let least = operand.applied(operand.kind == .boolean ? "bool_and(" : "min(")
            return [GroupColumn(least, .minimum, operand.kind)] + operand.zeroCheck
        case .max:
            let greatest = operand.applied(operand.kind == .boolean ? "bool_or(" : "max(")
            return [GroupColumn(greatest, .maximum, operand.kind)] + operand.zeroCheck
        case .count, .standardDeviation: return [count]
        }
    }

    /// The sum where it is an integer of 64 bits, else null:
    /// `CASE WHEN sum(c) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(c)::bigint END`.
    private static func sum(_ column: SQLText) -> SQLText {
        "CASE WHEN sum(\(column)) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(\(column))::bigint END"
    }
}

extension ColumnOperand {
    /// Whether a negative zero is among some values: which of two zeros is the key or the result is the core's to say.
    fileprivate var zeroCheck: [GroupColumn] {
        isFloating ? [GroupColumn("bool_or(\(column) = 0 AND \(column)::text = '-0')", .check, .boolean)] : []
    }
}

/// A row of a result.
struct ResultRow: GroupRow {
    let result: ResultTable
    let row: Int

    func isNull(_ column: Int) -> Bool { result.isNull(row, column) }

    /// The value, unless it is one of several texts of one address, or another program wrote more digits than a number of the core's has.
    func value(_ column: Int, _ kind: SlotKind) -> Value? {
        let value = result.value(row, column, kind)
        if kind == .uri, let text = result.text(row, column) {
            guard case .url(let address) = value, address.absoluteString == text else { return nil }
        }
        if kind == .decimal, let bytes = unsafe result.bytes(row, column) {
            guard case .decimal(let number) = value, !number.isNaN,
                unsafe NumericText.shortest(bytes).elementsEqual(DecimalText.text(number).utf8)
            else { return nil }
        }
        return value
    }
}
