import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Conditions on what relationships reference: subqueries.
extension ConditionCompiler {
    /// `EXISTS (SELECT 1 FROM "s"."person" t1 WHERE t1."_id" = t0."boss_id" AND t1."age" > $1)`; where nothing meets the condition, too,
    /// `NOT EXISTS (… AND (t1."age" IS NULL) IS NOT TRUE)`.
    mutating func destinationCondition(_ comparison: ResolvedComparison) -> Condition? {
        guard let constant = comparison.right.constant, let step = comparison.left.steps.first, comparison.left.leafSlot != nil,
            let isMetByNothing = try? ValueTest.holds(.null, comparison.operator, constant, comparison.options),
            let source = scope.places[comparison.left.variable], let destination = scope.destination(step)
        else { return nil }
        let outer = scope.places
        defer { scope.places = outer }
        scope.places = [0: destination]
        guard let inner = condition(.comparison(comparison.withoutFirstStep)) else { return nil }
        var sql = SQLText(isMetByNothing ? "NOT EXISTS (SELECT 1 FROM " : "EXISTS (SELECT 1 FROM ")
        destination.add(to: &sql)
        sql.add(" WHERE ")
        QueryScope.relate(destination.alias, EntityTable.id, source.alias, source.column(step.slot).name, in: &sql)
        sql.add(" AND (")
        sql.add(inner.sql)
        sql.add(isMetByNothing ? ") IS NOT TRUE)" : "))")
        return Condition(sql: sql, isExact: inner.isExact)
    }

    /// `EXISTS (SELECT 1 FROM "s"."person" t1 WHERE t1."boss_id" = t0."_id" AND t1."age" > $1)`.
    mutating func collectionCondition(_ collection: ResolvedCollection) -> Condition? {
        guard let elements = elements(collection) else { return nil }
        var sql = SQLText("EXISTS (SELECT 1")
        elements.add(to: &sql)
        sql.add(")")
        return Condition(sql: sql, isExact: elements.isExact)
    }

    /// `(SELECT count(*) FROM "s"."person" t1 WHERE t1."boss_id" = t0."_id") > $1`.
    mutating func countCondition(_ test: ResolvedTest) -> Condition? {
        guard test.modifier == .direct, case .aggregate(.count, let collection, of: nil) = test.left,
            case .constant(.int(let number)) = test.right, let elements = elements(collection), elements.isExact
        else { return nil }
        let comparison: StaticString
        switch test.operator {
        case .equal: comparison = ") = "
        case .notEqual: comparison = ") <> "
        case .less: comparison = ") < "
        case .lessOrEqual: comparison = ") <= "
        case .greater: comparison = ") > "
        case .greaterOrEqual: comparison = ") >= "
        default: return nil
        }
        var sql = SQLText("(SELECT count(*)")
        elements.add(to: &sql)
        sql.add(comparison)
        sql.bind(.bigint(number))
        return Condition(sql: sql, isExact: true)
    }

    /// `(SELECT max(t1."age") FROM "s"."person" t1 WHERE t1."boss_id" = t0."_id")`.
    mutating func aggregate(
        _ function: AggregateFunction, _ collection: ResolvedCollection, of value: ResolvedExpression?
    ) -> SQLExpression? {
        guard let elements = elements(collection), elements.isExact else { return nil }
        let found = value == nil ? AggregateSQL(function) : operand(value).flatMap { AggregateSQL(function, $0, inOrder: elements.order) }
        guard let result = found else { return nil }
        if result.mayFail, !admitFailure() { return nil }
        var sql = SQLText("(SELECT ")
        sql.add(result.sql)
        elements.add(to: &sql)
        sql.add(")")
        return SQLExpression(sql, kind: result.kind, isNumber: !result.mayBeNaN)
    }

    private mutating func operand(_ value: ResolvedExpression?) -> SQLExpression? {
        value.flatMap { expression($0) }.flatMap { settled($0) }
    }

    private mutating func elements(_ collection: ResolvedCollection) -> QueryScope.Elements? {
        // A join goes every way there is, of which there may be more than anyone can wait for.
        if collection.hasManyWays { return nil }
        var found: QueryScope.Elements?
        switch collection.origin {
        case .variable(let variable): found = scope.follow(collection, from: variable, QueryScope.Elements())
        case .collection(let inner):
            guard let start = elements(inner) else { return nil }
            found = scope.follow(collection, from: inner.variable, start)
        }
        guard var elements = found else { return nil }
        for part in collection.filter?.conjuncts ?? [] {
            let condition = condition(part)
            if let condition { elements.conditions.append(condition.sql) }
            if condition?.isExact != true { elements.isExact = false }
        }
        return elements
    }
}
