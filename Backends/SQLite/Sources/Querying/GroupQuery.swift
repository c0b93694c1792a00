import CStrataSQLite
import StrataSQL

/// Groups and their aggregates.
///
/// SQLite computes the aggregates where that needs no sort: over one group of all, and along an index that begins with
/// the keys. Elsewhere it would sort all rows, which takes several times as long as a hash table of groups: then the
/// statement returns keys and operands, which are aggregated here, row by row as the core does.
struct GroupQuery {
    private let plan: GroupPlan
    private let keys: [SQLExpression]
    private let operands: [SQLExpression?]
    /// The aggregates in SQL; `nil` where SQLite's equality of keys, order or sum of operands differs from the core's.
    private let aggregates: GroupColumns?

    init(_ plan: GroupPlan, by keys: [SQLExpression], _ operands: [SQLExpression?]) {
        self.plan = plan
        self.keys = keys
        self.operands = operands
        let columns = zip(plan.aggregates, operands).compactMap { GroupQuery.columns($0.function, $1) }
        let isComputed = columns.count == operands.count && keys.allSatisfy { $0.isColumn && $0.hasGroups }
        aggregates = isComputed ? GroupColumns(by: keys.map(\.sql), keys.map { [GroupColumn($0.sql, .key, kind: $0.kind)] }, columns) : nil
    }

    /// Returns the columns of an aggregate, `sum(t0.ZRATE), count(t0.ZRATE), max(t0.ZRATE)`: NaN is stored as text, which is
    /// greater than all numbers.
    private static func columns(_ function: GroupPlan.Function, _ operand: SQLExpression?) -> [GroupColumn]? {
        guard let operand else { return [GroupColumn("count(*)", .count)] }
        guard operand.isColumn else { return nil }
        let greatest = operand.isFloating ? [GroupColumn("max(\(operand.sql))", .numberCheck, kind: operand.kind)] : []
        let count = GroupColumn("count(\(operand.sql))", .count)
        switch function {
        case .count: return [count]
        case .sum where operand.isNumber, .average where operand.isNumber:
            return [GroupColumn("sum(\(operand.sql))", .sum, kind: operand.kind), count] + greatest
        case .min where operand.hasGroups: return [GroupColumn("min(\(operand.sql))", .minimum, kind: operand.kind)] + greatest
        case .max where operand.hasGroups: return [GroupColumn("max(\(operand.sql))", .maximum, kind: operand.kind)]
        case .sum, .average, .min, .max, .countDistinct, .median, .standardDeviation: return nil
        }
    }

    /// Returns the statement to run, with its aggregates unless they are computed here.
    ///
    /// - Parameter source: The rest of a statement after its columns.
    func choice(_ source: SQLText, _ connection: Connection) throws -> (sql: SQLText, aggregates: GroupColumns?) {
        if let aggregates {
            let sql = aggregates.statement(source)
            if try keys.isEmpty || !connection.statement(sql.text).sorts() { return (sql, aggregates) }
        }
        return (plain(source), nil)
    }

    /// Returns the statement for keys and operands: `SELECT t1.ZTITLE, t0.ZRATE FROM ZPERSON t0 LEFT JOIN …`.
    private func plain(_ source: SQLText) -> SQLText {
        let columns = (keys + operands.compactMap(\.self)).map(\.sql)
        return "SELECT \(columns.isEmpty ? ["1"] : columns)\(source)"
    }

    /// Returns the groups of the rows of a source.
    func groups(_ source: SQLText, _ connection: Connection) throws -> [Group] {
        let (sql, aggregates) = try choice(source, connection)
        if let aggregates, let groups = try GroupQuery.groups(aggregates, sql, connection) { return groups }
        let statement = try connection.statement(aggregates == nil ? sql : plain(source))
        defer { statement.clear() }
        var grouper = ColumnGrouper(plan, keys, operands)
        while try statement.step(.fetch) { try grouper.add(statement) }
        return grouper.groups
    }

    /// Returns the groups of a statement; `nil` where a value was NaN, or a sum overflowed.
    private static func groups(_ columns: GroupColumns, _ sql: SQLText, _ connection: Connection) throws -> [Group]? {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        var groups: [Group] = []
        while true {
            let code = statement.attempt()
            if code == SQLITE_DONE { return groups }
            if code & 0xFF == SQLITE_ERROR { return nil }
            guard code == SQLITE_ROW else { throw connection.error(code, .fetch) }
            guard let group = try columns.group(StatementRow(statement: statement)) else { return nil }
            groups.append(group)
        }
    }
}

/// The current row of a statement.
private struct StatementRow: GroupRow {
    let statement: Statement

    func isNull(_ column: Int) -> Bool { statement.isNull(Int32(truncatingIfNeeded: column)) }
    func value(_ column: Int, _ kind: SlotKind) throws -> Value? {
        try ColumnValue.read(statement, Int32(truncatingIfNeeded: column), kind)
    }
}

extension SQLExpression {
    /// Whether SQLite's equality and order of the values are the core's.
    fileprivate var hasGroups: Bool {
        switch kind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .reference: true
        default: false
        }
    }
}
