import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// Groups, and what is computed over each, where the server computes it as the core does.
///
/// Floating-point numbers are left to the core: the order in which they are added up matters, and so does which of two zeros is a group's key.
struct GroupQuery {
    private struct Operand {
        let column: SQLText
        let kind: SlotKind
    }

    private let keys: [Operand]
    private let aggregates: [(function: GroupPlan.Function, operand: Operand?)]
    /// The tables that keys and operands are in, besides.
    private(set) var joins = SQLText()

    /// - Returns: `nil` where only the core computes a key or an aggregate.
    init?(_ plan: GroupPlan, _ scope: inout QueryScope) {
        var keys: [Operand] = []
        for key in plan.keys {
            guard let operand = GroupQuery.operand(key, &scope, &joins), [.integer, .boolean, .string].contains(operand.kind) else {
                return nil
            }
            keys.append(operand)
        }
        var aggregates: [(GroupPlan.Function, Operand?)] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                aggregates.append((.count, nil))
                continue
            }
            guard let operand = GroupQuery.operand(expression, &scope, &joins), GroupQuery.computes(aggregate.function, operand.kind)
            else { return nil }
            aggregates.append((aggregate.function, operand))
        }
        self.keys = keys
        self.aggregates = aggregates
    }

    private static func operand(_ expression: ResolvedExpression, _ scope: inout QueryScope, _ joins: inout SQLText) -> Operand? {
        guard let path = expression.path, path.attribute != nil, let slot = path.leafSlot, let place = scope.join(path, to: &joins) else {
            return nil
        }
        var column = SQLText()
        column.add(column: place.column(slot).name, of: place.alias)
        return Operand(column: column, kind: path.leafKind)
    }

    private static func computes(_ function: GroupPlan.Function, _ kind: SlotKind) -> Bool {
        switch function {
        case .count: true
        case .sum, .average: kind == .integer
        case .min, .max: kind == .integer || kind == .string
        case .countDistinct, .median, .standardDeviation: false
        }
    }

    // MARK: - The statement

    /// The keys, then one or two results for each aggregate: `t0."age", count(*), max(t0."name")`.
    var columns: SQLText {
        var parts = keys.map(\.column)
        func add(_ start: StaticString, _ operand: Operand?, _ end: StaticString) {
            var part = SQLText(start)
            if let operand { part.add(operand.column) }
            part.add(end)
            parts.append(part)
        }
        for (function, operand) in aggregates {
            switch function {
            case .sum, .average:
                if let operand { parts.append(GroupQuery.sum(operand.column)) }
                add("count(", operand, ")")
            case .min: add("min(", operand, ")")
            case .max: add("max(", operand, ")")
            default: add(operand == nil ? "count(*" : "count(", operand, ")")
            }
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

    /// The groups that a statement answered; `nil` where a sum may have left the range of integers on the way.
    func groups(_ result: ResultTable) -> [Group]? {
        var groups: [Group] = []
        groups.reserveCapacity(result.count)
        for row in 0..<result.count {
            var column = keys.count
            var partials: [AggregatePartial] = []
            for (function, operand) in aggregates {
                var partial = AggregatePartial()
                let kind = operand?.kind ?? .integer
                switch function {
                case .sum, .average:
                    partial.sum = GroupQuery.value(result, row, column, .integer)
                    column += 1
                    partial.count = GroupQuery.count(result, row, column)
                    if partial.sum.isNull && partial.count > 0 { return nil }
                case .min: partial.min = GroupQuery.value(result, row, column, kind)
                case .max: partial.max = GroupQuery.value(result, row, column, kind)
                default: partial.count = GroupQuery.count(result, row, column)
                }
                column += 1
                partials.append(partial)
            }
            let values = keys.enumerated().map { GroupQuery.value(result, row, $0, $1.kind) }
            groups.append(Group(keys: values, partials: partials))
        }
        return groups
    }

    private static func count(_ result: ResultTable, _ row: Int, _ column: Int) -> Int {
        Int(truncatingIfNeeded: result.integer(row, column) ?? 0)
    }

    private static func value(_ result: ResultTable, _ row: Int, _ column: Int, _ kind: SlotKind) -> Value {
        switch kind {
        case .boolean: result.number(row, column, as: UInt8.self).map { .bool($0 != 0) } ?? .null
        case .string: result.text(row, column).map { .string($0) } ?? .null
        default: result.integer(row, column).map { .int($0) } ?? .null
        }
    }
}
