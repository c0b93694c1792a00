import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Collections: subqueries over what to-many relationships reference.
extension PredicateCompiler {
    /// `EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZBOSS = t0.Z_PK AND t1.ZAGE > ?)`, negated `NOT EXISTS (…)`; where an index finds the
    /// elements, `t0.Z_PK IN (SELECT t1.ZBOSS FROM ZPERSON t1 WHERE t1.ZEMAIL = ?)`.
    mutating func exists(_ collection: ResolvedCollection, _ negated: Bool) -> SQLText? {
        guard let source = source(collection) else { return nil }
        if !negated, collection.isFoundByIndex, let membership = scopes.owners(source.scope, source.conditions) { return membership }
        var sql = SQLText(negated ? "NOT EXISTS (SELECT 1" : "EXISTS (SELECT 1")
        scopes.addSource(source.scope, source.conditions, to: &sql)
        sql.add(")")
        return sql
    }

    /// The scope whose rows are a collection's elements where they meet some conditions.
    private mutating func source(_ collection: ResolvedCollection) -> (scope: Int, conditions: [SQLText])? {
        // A join goes every way there is, of which there may be more than anyone can wait for.
        if collection.hasManyWays { return nil }
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

    /// `(SELECT count(*) FROM ZPERSON t1 WHERE t1.ZBOSS = t0.Z_PK)`.
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
        return expression
    }
}

extension ResolvedCollection {
    /// Whether an index finds the elements that the filter admits, whatever the object that they belong to: then its owners are looked up
    /// from there, rather than the elements of each object tested.
    fileprivate var isFoundByIndex: Bool {
        guard case .variable = origin, let filter, steps.first.map({ $0.slot == nil }) ?? false else { return false }
        var isIndependent = true
        // Variables of outer objects have lower numbers.
        filter.forEachPath { if $0.variable < variable { isIndependent = false } }
        filter.forEachCollection { inner in
            if case .variable(let origin) = inner.origin, origin < variable { isIndependent = false }
        }
        return isIndependent && filter.conjuncts.contains { isIndexed($0) }
    }

    private func isIndexed(_ condition: ResolvedPredicate) -> Bool {
        guard case .comparison(let comparison) = condition, comparison.left.variable == variable, comparison.left.steps.isEmpty,
            comparison.options.isEmpty, let slot = comparison.left.leafSlot, let constant = comparison.right.constant, !constant.isNull
        else { return false }
        switch comparison.operator {
        case .equal, .isIn, .beginsWith: break
        default: return false
        }
        return entity.indexes.contains { $0.condition == nil && $0.elements.first?.slot == slot }
            || entity.uniquenessConstraints.contains { $0.slots.first == slot }
    }
}

/// An aggregate over the rows of a subquery, with the core's result; where SQL has another one, `strata_core()` leaves the plan to the core:
/// `count(*)`, `ifnull(sum(t1.ZCOST), 0)`, `CASE WHEN max(t1.ZRATE) > 9e999 THEN strata_core() ELSE min(t1.ZRATE) END`.
private struct AggregateSQL {
    let sql: SQLText
    let kind: SlotKind

    init?(_ function: AggregateFunction, _ operand: SQLExpression?) {
        guard let operand else {
            guard function == .count || function == .countDistinct else { return nil }
            (sql, kind) = (SQLText("count(*)"), .integer)
            return
        }
        if operand.mayHideNaN || (!operand.isColumn && !operand.numbers.isEmpty) { return nil }
        if operand.isExternal && function != .count { return nil }
        let template: [StaticString]
        switch function {
        case .count: (template, kind) = (["count(", ")"], .integer)
        case .countDistinct:
            guard operand.isColumn, operand.kind != .decimal else { return nil }
            (template, kind) = (["count(DISTINCT ", ")"], .integer)
        case .sum where operand.isInteger: (template, kind) = (["ifnull(sum(", "), 0)"], .integer)
        // Integers are added as such, and a sum out of their range is an error, which leaves all to the core.
        case .average where operand.isInteger && operand.isColumn: (template, kind) = (["CAST(sum(", ") AS REAL) / count(", ")"], .double)
        case .sum where operand.isNumber && operand.isColumn:
            (template, kind) = (
                ["CASE WHEN max(", ") > 9e999 THEN strata_core() WHEN count(", ") = 0 THEN 0 ELSE ifnull(sum(", "), strata_core()) END"],
                .double
            )
        case .average where operand.isNumber && operand.isColumn:
            (template, kind) = (
                [
                    "CASE WHEN max(", ") > 9e999 THEN strata_core() WHEN count(", ") > 0 THEN ifnull(sum(", ") / count(",
                    "), strata_core()) END",
                ], .double
            )
        case .min where AggregateSQL.isOrdered(operand): (template, kind) = (["min(", ")"], operand.kind)
        case .max where AggregateSQL.isOrdered(operand): (template, kind) = (["max(", ")"], operand.kind)
        // A text among the numbers is what is no number.
        case .min where operand.isFloating && operand.isColumn:
            (template, kind) = (["CASE WHEN max(", ") > 9e999 THEN strata_core() ELSE min(", ") END"], operand.kind)
        case .max where operand.isFloating && operand.isColumn:
            (template, kind) = (["CASE WHEN max(", ") > 9e999 THEN strata_core() ELSE max(", ") END"], operand.kind)
        default: return nil
        }
        var sql = SQLText()
        for (place, part) in template.enumerated() {
            if place > 0 { operand.add(to: &sql) }
            sql.add(part)
        }
        self.sql = sql
    }

    private static func isOrdered(_ operand: SQLExpression) -> Bool {
        switch operand.kind {
        case .integer, .boolean, .string, .uri, .uuid, .reference: true
        default: false
        }
    }
}
