import StrataModel
import StrataQuery
import StrataStore

/// Puts computed values of a batch update into SQL where SQL computes what the core does.
///
/// A value that may be something else, or that does not fit its attribute, calls `strata_core()`, which ends the statement: the core then
/// does the whole update, and says what does not fit.
struct AssignmentCompiler {
    private var compiler: PredicateCompiler

    /// A compiler of values of an entity's rows in the table `t0`.
    init(_ table: EntityTable, _ entity: EntityDescription, _ store: SQLiteStore) {
        compiler = PredicateCompiler(store.schema, root: table, entity: entity, storeUUID: store.uuid)
    }

    /// What a column is set to, `nil` where only the core computes it.
    mutating func value(_ computation: RowAssignments.Computation) -> SQLText? {
        let attribute = computation.attribute
        // A subquery could see rows that the statement changed already.
        guard let value = compiler.compile(computation.expression), compiler.scopes.isOneTable, !value.isExternal else { return nil }
        var conditions: [SQLText] = []
        switch (attribute.type, value.kind) {
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer):
            guard let range = attribute.type.integerRange else { return nil }
            // An integer that left the range of integers is a floating-point number.
            conditions = [AssignmentCompiler.type(of: value.sql, isNot: "real"), AssignmentCompiler.range(of: value.sql, range)]
        case (.double, .integer), (.double, .double), (.double, .float), (.date, .date):
            conditions = value.numbers.map { AssignmentCompiler.type(of: $0, isNot: "text") }
        case (.string, .string), (.boolean, .boolean):
            if !value.numbers.isEmpty { return nil }
        default: return nil
        }
        if !attribute.isOptional || value.mayHideNaN {
            var isThere = value.sql
            isThere.add(" IS NOT NULL")
            conditions.append(isThere)
        }
        if conditions.isEmpty { return value.sql }
        var sql = SQLText("CASE WHEN ")
        sql.add(conditions, separator: " AND ") { $0.add($1) }
        sql.add(" THEN ")
        value.add(to: &sql)
        sql.add(" ELSE strata_core() END")
        return sql
    }

    private static func type(of value: SQLText, isNot type: StaticString) -> SQLText {
        var sql = SQLText("typeof(")
        sql.add(value)
        sql.add(") <> '")
        sql.add(type)
        sql.add("'")
        return sql
    }

    /// Whether a value lies in a range, or is none.
    private static func range(of value: SQLText, _ range: ClosedRange<Int64>) -> SQLText {
        var sql = SQLText("IFNULL(")
        sql.add(value)
        sql.add(" BETWEEN ")
        sql.bind(.integer(range.lowerBound))
        sql.add(" AND ")
        sql.bind(.integer(range.upperBound))
        sql.add(", 1)")
        return sql
    }
}
