import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Turns conditions into SQL where SQL decides them exactly as the core does: nil equals nil, and nothing else is unknown.
///
/// A comparison with a null is null in SQL. Where nothing negates it that counts as false and the bare comparison serves, and with it an
/// index; negations are moved down to the comparisons, which then settle the null themselves.
struct PredicateCompiler {
    var scopes: QueryScopes
    let storeID: StoreID

    /// A compiler for conditions on the rows of an entity.
    ///
    /// - Parameter strays: The roots of the tables that have stray rows, which belong to nothing.
    init(_ schema: StoreSchema, root: EntityTable, entity: EntityDescription, storeID: StoreID, strays: Set<EntityIndex> = []) {
        scopes = QueryScopes(schema, root: root, entity: entity, strays: strays)
        self.storeID = storeID
    }

    /// The condition, or `nil` where only the core decides it.
    mutating func compile(_ predicate: ResolvedPredicate) -> SQLText? {
        let before = scopes
        let sql = condition(predicate, false)
        if sql == nil { scopes = before }
        return sql
    }

    /// The expression, or `nil` where only the core computes it.
    mutating func compile(_ expression: ResolvedExpression) -> SQLExpression? {
        let before = scopes
        let sql = self.expression(expression)
        if sql == nil { scopes = before }
        return sql
    }

    /// The condition or its negation: `(t0.ZAGE > ? AND t0.ZNAME IS NOT NULL)` for `age > 1 AND name != nil`, and
    /// `(NOT IFNULL(t0.ZAGE > ?, 0) OR t0.ZNAME IS NULL)` for what is not so.
    mutating func condition(_ predicate: ResolvedPredicate, _ negated: Bool) -> SQLText? {
        switch predicate {
        case .constant(let truth): return self.truth(truth != negated)
        case .not(let part): return condition(part, !negated)
        case .and(let parts): return combine(parts, negated ? " OR " : " AND ", ifEmpty: !negated, negated)
        case .or(let parts): return combine(parts, negated ? " AND " : " OR ", ifEmpty: negated, negated)
        case .comparison(let comparison):
            guard let left = scopes.column(at: comparison.left) else { return nil }
            let (op, options) = (comparison.operator, comparison.options)
            switch comparison.right {
            case .constant(let value): return compare(left, op, value, options, negated)
            case .path(let path): return scopes.column(at: path).flatMap { compare(left, op, $0, options, negated) }
            }
        case .test(let test): return self.test(test, negated)
        case .exists(let collection): return exists(collection, negated)
        }
    }

    private mutating func combine(
        _ parts: [ResolvedPredicate], _ separator: StaticString, ifEmpty: Bool, _ negated: Bool
    ) -> SQLText? {
        if parts.isEmpty { return truth(ifEmpty) }
        var compiled: [SQLText] = []
        for part in parts {
            guard let sql = condition(part, negated) else { return nil }
            compiled.append(sql)
        }
        return PredicateCompiler.join(compiled[...], separator)
    }

    /// Joins conditions as a balanced tree: SQLite limits the depth of expressions, and a chain is as deep as it is long.
    static func join(_ conditions: ArraySlice<SQLText>, _ separator: StaticString) -> SQLText {
        if conditions.count == 1, let only = conditions.first { return only }
        var sql = SQLText("(")
        if conditions.count <= 16 {
            sql.add(conditions, separator: separator) { $0.add($1) }
        } else {
            let middle = (conditions.startIndex + conditions.endIndex) / 2
            sql.add(join(conditions[..<middle], separator))
            sql.add(separator)
            sql.add(join(conditions[middle...], separator))
        }
        sql.add(")")
        return sql
    }

    // MARK: - Parts

    func truth(_ truth: Bool) -> SQLText { truth ? SQLText("1") : SQLText("0") }

    /// A condition that holds besides only where columns hold numbers or nothing: `(… AND typeof(t0.ZRATE) <> 'text')`.
    func guarded(_ condition: SQLText, _ columns: [SQLText]) -> SQLText {
        if columns.isEmpty { return condition }
        var sql = SQLText("(")
        sql.add(condition)
        for column in columns {
            sql.add(" AND typeof(")
            sql.add(column)
            sql.add(") <> 'text'")
        }
        sql.add(")")
        return sql
    }
}

/// A condition that is null for null, as it is or negated; null counts as false.
func settled(_ condition: SQLText, _ negated: Bool) -> SQLText {
    guard negated else { return condition }
    var sql = SQLText("NOT IFNULL(")
    sql.add(condition)
    sql.add(", 0)")
    return sql
}
