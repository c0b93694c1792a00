import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// The names of objects' entities, which the store has as numbers.
extension PredicateCompiler {
    /// The name of the entity of the object at the end of a path: `(CASE t0.Z_ENT WHEN 1 THEN ? WHEN 2 THEN ? END)`.
    mutating func entityName(_ path: PropertyPath, _ names: [String]) -> SQLExpression? {
        guard let (column, table) = scopes.entityNumber(at: path) else { return nil }
        var sql = SQLText("(CASE ")
        sql.add(column)
        for entity in table.tree {
            sql.add(" WHEN ")
            sql.add(number: table.number(of: entity))
            sql.add(" THEN ")
            sql.bind(.text(names[entity]))
        }
        sql.add(" END)")
        return SQLExpression(sql, kind: .string)
    }

    /// A condition on the name of an entity as one on its number, which an index finds: `(t0.Z_ENT IN (2))`.
    mutating func entityName(
        _ path: PropertyPath, _ names: [String], _ op: QueryComparison.Operator, _ value: Value, _ options: QueryComparison.Options,
        _ negated: Bool
    ) -> SQLText? {
        guard let (column, table) = scopes.entityNumber(at: path) else { return nil }
        var numbers: [Int] = []
        for entity in table.tree {
            guard let isMet = try? ValueTest.holds(.string(names[entity]), op, value, options) else { return nil }
            if isMet != negated { numbers.append(table.number(of: entity)) }
        }
        guard let isMetByNothing = try? ValueTest.holds(.null, op, value, options) else { return nil }
        var sql = SQLText("(")
        sql.add(column)
        sql.add(" IN (")
        sql.add(numbers, separator: ", ") { $0.add(number: $1) }
        sql.add(")")
        if !path.steps.isEmpty, isMetByNothing != negated {
            sql.add(" OR ")
            sql.add(column)
            sql.add(" IS NULL")
        }
        sql.add(")")
        return sql
    }
}
