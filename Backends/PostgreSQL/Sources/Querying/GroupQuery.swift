import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// Groups, and what is computed over each, where the server computes it as the core does.
///
/// Floating-point numbers are added up by the core: the order matters in which that is done.
struct GroupQuery {
    private let keys: [ColumnOperand]
    private let aggregates: [(function: GroupPlan.Function, operand: ColumnOperand?)]
    /// The tables that keys and operands are in, besides.
    private(set) var joins = SQLText()

    /// - Returns: `nil` where only the core computes a key or an aggregate.
    init?(_ plan: GroupPlan, _ scope: inout QueryScope) {
        var keys: [ColumnOperand] = []
        for key in plan.keys {
            guard let operand = ColumnOperand(key, &scope, &joins) else { return nil }
            keys.append(operand)
        }
        var aggregates: [(GroupPlan.Function, ColumnOperand?)] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                aggregates.append((.count, nil))
                continue
            }
            guard let operand = ColumnOperand(expression, &scope, &joins, isCounted: aggregate.function == .count),
                GroupQuery.computes(aggregate.function, operand.kind)
            else { return nil }
            aggregates.append((aggregate.function, operand))
        }
        self.keys = keys
        self.aggregates = aggregates
    }

    private static func computes(_ function: GroupPlan.Function, _ kind: SlotKind) -> Bool {
        switch function {
        case .count: true
        case .sum, .average: kind == .integer
        case .min, .max: kind != .uuid
        case .countDistinct, .median, .standardDeviation: false
        }
    }

    // MARK: - The statement

    /// The keys, then the results for each aggregate: `t0."age", count(*), max(t0."name")`.
    var columns: SQLText {
        var parts: [SQLText] = []
        for key in keys {
            parts.append(key.column)
            if key.isFloating { parts.append(key.hasNegativeZero) }
        }
        for (function, operand) in aggregates {
            guard let operand else {
                parts.append(SQLText("count(*)"))
                continue
            }
            switch function {
            case .sum, .average: parts += [GroupQuery.sum(operand.column), operand.applied("count(")]
            case .min: parts.append(operand.applied(operand.kind == .boolean ? "bool_and(" : "min("))
            case .max: parts.append(operand.applied(operand.kind == .boolean ? "bool_or(" : "max("))
            default: parts.append(operand.applied("count("))
            }
            if operand.isFloating && (function == .min || function == .max) { parts.append(operand.hasNegativeZero) }
        }
        if parts.isEmpty { parts = [SQLText("count(*)")] }
        var sql = SQLText()
        sql.add(parts, separator: ", ") { $0.add($1) }
        return sql
    }

    /// The sum where no sum of some of the numbers leaves the range of integers, else null:
    /// `CASE WHEN count(c) * greatest(max(c)::numeric, -min(c)::numeric) <= 9223372036854775807 THEN sum(c)::bigint END`.
    private static func sum(_ column: SQLText) -> SQLText {
        var sql = SQLText("CASE WHEN count(")
        sql.add(column)
        sql.add(") * greatest(max(")
        sql.add(column)
        sql.add(")::numeric, -(min(")
        sql.add(column)
        sql.add(")::numeric)) <= 9223372036854775807 THEN sum(")
        sql.add(column)
        sql.add(")::bigint END")
        return sql
    }

    /// ` GROUP BY t0."age"`.
    var grouping: SQLText {
        if keys.isEmpty { return SQLText() }
        var sql = SQLText(" GROUP BY ")
        sql.add(keys, separator: ", ") { $0.add($1.column) }
        return sql
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
        /// The value, unless it is one of two zeros, or nothing tells which.
        func value(_ operand: ColumnOperand) -> Value? {
            let value = operand.value(result, row, next())
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
            case (.sum, _), (.average, _):
                partial.sum = result.integer(row, next()).map { .int($0) } ?? .null
                partial.count = count()
                if partial.sum.isNull && partial.count > 0 { return nil }
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
