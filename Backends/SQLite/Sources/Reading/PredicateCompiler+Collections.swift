import StrataModel
import StrataQuery

/// Collections: subqueries over what to-many relationships lead to.
extension PredicateCompiler {
    mutating func exists(_ collection: ResolvedCollection, _ negated: Bool) -> SQLText? {
        guard let source = source(collection) else { return nil }
        var sql = SQLText(negated ? "NOT EXISTS (SELECT 1" : "EXISTS (SELECT 1")
        scopes.addSource(source.scope, source.conditions, to: &sql)
        sql.add(")")
        return sql
    }

    /// The scope whose rows are a collection's elements where they meet some conditions.
    private mutating func source(_ collection: ResolvedCollection) -> (scope: Int, conditions: [SQLText])? {
        var (scope, conditions): (Int, [SQLText])
        switch collection.origin {
        case .variable(let variable):
            guard let opened = scopes.open(collection, from: variable) else { return nil }
            (scope, conditions) = (opened, [])
        case .collection(let inner):
            guard let found = source(inner), scopes.extend(inner, to: collection) else { return nil }
            (scope, conditions) = found
        }
        for part in collection.filter?.conjuncts ?? [] {
            guard let condition = condition(part, false) else { return nil }
            conditions.append(condition)
        }
        return (scope, conditions)
    }

    mutating func aggregate(
        _ function: AggregateFunction, _ collection: ResolvedCollection, of value: ResolvedExpression?
    ) -> SQLExpression? {
        guard let source = source(collection) else { return nil }
        var operand: SQLExpression?
        if let value {
            guard let compiled = expression(value) else { return nil }
            operand = compiled
        }
        guard let result = AggregateSQL(function, operand) else { return nil }
        var sql = SQLText("(SELECT ")
        sql.add(result.sql)
        scopes.addSource(source.scope, source.conditions, to: &sql)
        sql.add(")")
        var expression = SQLExpression(sql, kind: result.kind)
        expression.isAggregate = true
        // A sum is that of the elements' numbers: where one is none, so is the sum, a text as in a column.
        if result.mayBeText { expression.guarded = [sql] }
        return expression
    }
}

/// An aggregate over the rows of a subquery, with the core's result.
private struct AggregateSQL {
    let sql: SQLText
    let kind: SlotKind
    let mayBeText: Bool

    init?(_ function: AggregateFunction, _ operand: SQLExpression?) {
        guard let operand else {
            guard function == .count else { return nil }
            self.init("count(*)", kind: .integer)
            return
        }
        if operand.isExternal && function != .count { return nil }
        switch function {
        case .count:
            guard !operand.mayHideNaN else { return nil }
            self.init("count(", operand, ")", kind: .integer)
        case .countDistinct:
            guard operand.isColumn, operand.kind != .decimal else { return nil }
            self.init("count(DISTINCT ", operand, ")", kind: .integer)
        case .sum where operand.isInteger: self.init("ifnull(sum(", operand, "), 0)", kind: .integer)
        // Integers are added as such, and a sum out of their range is left to the core.
        case .average where operand.isInteger && operand.isColumn:
            self.init(operand, "CAST(sum(", ") AS REAL) / count(", ")", kind: .double)
        case .sum where operand.isColumn && operand.isFloating && operand.kind != .date:
            self.init(operand, "CASE WHEN max(", ") > 9e999 THEN 'NaN' WHEN count(", ") = 0 THEN 0 ELSE ifnull(sum(", "), 'NaN') END")
        case .average where operand.isColumn && operand.isFloating && operand.kind != .date:
            self.init(
                operand, "CASE WHEN max(", ") > 9e999 THEN 'NaN' WHEN count(", ") = 0 THEN NULL ELSE ifnull(sum(", ") / count(", "), 'NaN') END")
        case .min, .max:
            guard operand.isColumn, AggregateSQL.isOrdered(operand) else { return nil }
            if operand.isFloating {
                // What is no number counts only where nothing else is there.
                self.init(
                    operand, function == .min ? "ifnull(min(CASE WHEN typeof(" : "ifnull(max(CASE WHEN typeof(", ") <> 'text' THEN ",
                    " END), max(", "))", kind: operand.kind, mayBeText: true)
            } else {
                self.init(function == .min ? "min(" : "max(", operand, ")", kind: operand.kind)
            }
        default: return nil
        }
    }

    private static func isOrdered(_ operand: SQLExpression) -> Bool {
        switch operand.kind {
        case .integer, .boolean, .string, .uri, .uuid, .reference, .double, .float, .date: true
        default: false
        }
    }

    private init(_ keywords: StaticString, kind: SlotKind) {
        sql = SQLText(keywords)
        self.kind = kind
        mayBeText = false
    }

    private init(_ start: StaticString, _ operand: SQLExpression, _ end: StaticString, kind: SlotKind) {
        self.init(operand, start, end, kind: kind)
    }

    /// The parts with the operand between each two of them.
    private init(_ operand: SQLExpression, _ parts: StaticString..., kind: SlotKind? = nil, mayBeText: Bool? = nil) {
        var sql = SQLText()
        for (place, part) in parts.enumerated() {
            if place > 0 { operand.add(to: &sql) }
            sql.add(part)
        }
        self.sql = sql
        self.kind = kind ?? .double
        self.mayBeText = mayBeText ?? (kind == nil)
    }
}
