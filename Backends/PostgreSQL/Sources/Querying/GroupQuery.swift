import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Groups, and what is computed over each, where the server computes it as the core does.
struct GroupQuery {
    private let keys: [ColumnOperand]
    private let aggregates: [(function: GroupPlan.Function, operand: ColumnOperand?)]
    /// The tables that keys and operands are in, besides.
    private(set) var joins = SQLText()
    /// What the server answers no group without.
    private let condition: Condition?

    /// - Returns: `nil` where only the core computes a key or an aggregate.
    init?(_ plan: GroupPlan, _ compiler: inout ConditionCompiler) {
        var keys: [ColumnOperand] = []
        for key in plan.keys {
            guard let operand = ColumnOperand(key, &compiler.scope, &joins, isKey: true) else { return nil }
            keys.append(operand)
        }
        var aggregates: [(GroupPlan.Function, ColumnOperand?)] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                aggregates.append((.count, nil))
                continue
            }
            guard let operand = ColumnOperand(expression, &compiler.scope, &joins, isCounted: aggregate.function == .count),
                GroupQuery.computes(aggregate.function, operand, isWhole: plan.isWhole, &compiler)
            else { return nil }
            aggregates.append((aggregate.function, operand))
        }
        self.keys = keys
        self.aggregates = aggregates
        guard let condition = plan.condition else {
            self.condition = nil
            return
        }
        compiler.columns = keys.map { $0.kind == .decimal ? nil : $0.expression }
        for (function, operand) in aggregates { compiler.columns.append(GroupQuery.tested(function, operand, &compiler)) }
        self.condition = compiler.condition(condition)
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
        guard let operand else { return SQLExpression(SQLText("count(*)"), kind: .integer) }
        if operand.isAddedInOrder && (function == .sum || function == .average) {
            guard compiler.admitFailure() else { return nil }
            var sql = SQLText("\(function == .sum ? "coalesce(" : "(")\(operand.sumInOrder)")
            sql.add("\(function == .sum ? ", 0)" : " / NULLIF(")")
            if function == .average { sql.add("\(operand.applied("count(")), 0))") }
            return SQLExpression(sql, kind: .double)
        }
        guard let result = AggregateSQL(function, operand.expression), !result.mayFail || compiler.admitFailure() else { return nil }
        return SQLExpression(result.sql, kind: result.kind, isNumber: true)
    }

    /// Whether the server answers no groups but those that meet the plan's condition.
    var testsGroups: Bool { condition?.isExact ?? false }

    // MARK: - The statement

    /// The keys, then the results for each aggregate: `t0."age", count(*), max(t0."name")`.
    var columns: SQLText {
        var parts: [SQLText] = []
        for key in keys {
            parts.append(key.selected)
            if key.isFloating { parts.append(key.hasNegativeZero) }
        }
        for (function, operand) in aggregates {
            guard let operand else {
                parts.append(SQLText("count(*)"))
                continue
            }
            switch function {
            case .sum where !operand.isAddedInOrder: parts += [GroupQuery.sum(operand.column), operand.applied("sum(")]
            case .sum, .average:
                parts += [operand.isAddedInOrder ? operand.sumInOrder : GroupQuery.sum(operand.column), operand.applied("count(")]
            case .countDistinct: parts.append(operand.applied("count(DISTINCT "))
            case .median:
                let middle: StaticString = "percentile_disc(0.5) WITHIN GROUP (ORDER BY "
                parts += [operand.applied(middle), operand.applied(middle, " DESC)"), operand.applied("count(")]
                if operand.isFloating { parts.append(operand.hasOddNumbers) }
            case .min: parts.append(operand.applied(operand.kind == .boolean ? "bool_and(" : "min("))
            case .max: parts.append(operand.applied(operand.kind == .boolean ? "bool_or(" : "max("))
            default: parts.append(operand.applied("count("))
            }
            if operand.isFloating && (function == .min || function == .max) { parts.append(operand.hasNegativeZero) }
        }
        if parts.isEmpty { parts = [SQLText("count(*)")] }
        return SQLText("\(parts)")
    }

    /// The sum where it is an integer of 64 bits, else null:
    /// `CASE WHEN sum(c) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(c)::bigint END`.
    private static func sum(_ column: SQLText) -> SQLText {
        var sql = SQLText("CASE WHEN sum(\(column)) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(\(column)")
        sql.add(")::bigint END")
        return sql
    }

    /// ` GROUP BY t0."age"`.
    var grouping: SQLText {
        if keys.isEmpty { return SQLText() }
        return SQLText(" GROUP BY \(keys.map { SQLText("\($0.column)") })")
    }

    /// ` HAVING count(*) > $1`.
    var selection: SQLText {
        guard let condition else { return SQLText() }
        return SQLText(" HAVING \(condition.sql)")
    }

    // MARK: - The groups

    /// The groups that a statement answered; `nil` where a value may be another one for the core.
    func groups(_ result: ResultTable) -> [Group]? {
        var groups: [Group] = []
        groups.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let group = group(result, row) else { return nil }
            groups.append(group)
        }
        return groups
    }

    private func group(_ result: ResultTable, _ row: Int) -> Group? {
        var column = 0
        func next() -> Int {
            defer { column += 1 }
            return column
        }
        func count() -> Int { Int(truncatingIfNeeded: result.integer(row, next()) ?? 0) }
        /// The value, unless it is one of two zeros, or of texts of one address, and nothing tells which.
        func value(_ operand: ColumnOperand) -> Value? {
            let column = next()
            let value = operand.value(result, row, column)
            if operand.kind == .uri, let text = result.text(row, column) {
                guard case .url(let address) = value, address.absoluteString == text else { return nil }
            }
            if operand.kind == .decimal, let bytes = unsafe result.bytes(row, column) {
                // Others may have written more digits than a number of the core's has.
                guard case .decimal(let number) = value, !number.isNaN,
                    unsafe NumericText.shortest(bytes).elementsEqual(DecimalText.text(number).utf8)
                else { return nil }
            }
            return operand.isFloating && result.number(row, next(), as: UInt8.self) == 1 ? nil : value
        }
        var values: [Value] = []
        for key in keys {
            guard let key = value(key) else { return nil }
            values.append(key)
        }
        var partials: [AggregatePartial] = []
        for (function, operand) in aggregates {
            var partial = AggregatePartial()
            switch (function, operand) {
            case (.sum, let operand?), (.average, let operand?):
                partial.sum = operand.value(result, row, next())
                // There is a sum where there is any value.
                let isSum = function == .sum && !operand.isAddedInOrder
                partial.count = isSum ? (result.isNull(row, next()) ? 0 : 1) : count()
                // What is no number may stand for nil.
                if partial.sum.isNull && partial.count > 0 || partial.sum.isNaN { return nil }
            case (.median, let operand?):
                let middle = [operand.value(result, row, next()), operand.value(result, row, next())]
                partial.count = count()
                if operand.isFloating, result.number(row, next(), as: UInt8.self) == 1 { return nil }
                // Of an odd number of values both are the same one.
                partial.values = Array(middle.prefix(partial.count == 0 ? 0 : partial.count % 2 == 1 ? 1 : 2))
            case (.min, let operand?):
                guard let least = value(operand) else { return nil }
                partial.min = least
            case (.max, let operand?):
                // What is no number follows all numbers for the server, and gives way to any for the core.
                guard let greatest = value(operand), !greatest.isNaN else { return nil }
                partial.max = greatest
            default: partial.count = count()
            }
            partials.append(partial)
        }
        return Group(keys: values, partials: partials)
    }
}
