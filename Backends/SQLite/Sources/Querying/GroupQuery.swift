import CStrataSQLite
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Groups, and what is computed over each.
///
/// SQLite computes the aggregates where it need not sort for that: over one group of all, and along an index that begins with the keys.
/// Elsewhere it would sort all rows, which takes several times as long as looking up each row's group in a table: the statement then
/// answers the keys and operands, and they are taken together here, row by row as the core does.
struct GroupQuery {
    private let plan: GroupPlan
    private let keys: [SQLExpression]
    private let operands: [SQLExpression?]

    /// A query for a grouping.
    ///
    /// - Returns: `nil` where only the core computes a key or an operand.
    init?(_ plan: GroupPlan, _ compiler: inout ConditionCompiler) {
        self.plan = plan
        var keys: [SQLExpression] = []
        for key in plan.keys {
            guard let compiled = compiler.compile(key), ColumnValue.canRead(compiled) else { return nil }
            keys.append(compiled)
        }
        var operands: [SQLExpression?] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                operands.append(nil)
                continue
            }
            guard let compiled = compiler.compile(expression), ColumnValue.canRead(compiled) else { return nil }
            operands.append(compiled)
        }
        self.keys = keys
        self.operands = operands
    }

    /// The statement to run, and how its results are aggregates where they are.
    ///
    /// - Parameter source: What follows the columns in a statement.
    func choice(_ source: SQLText, _ connection: Connection) throws -> (sql: SQLText, aggregates: AggregateQuery?) {
        if let query = AggregateQuery(plan, keys, operands) {
            let sql = query.statement(source)
            if try keys.isEmpty || !connection.statement(sql.text).sorts() { return (sql, query) }
        }
        return (plain(source), nil)
    }

    /// The statement that answers keys and operands: `SELECT t1.ZTITLE, t0.ZRATE FROM ZPERSON t0 LEFT JOIN …`.
    private func plain(_ source: SQLText) -> SQLText {
        var sql = SQLText("SELECT ")
        let columns = keys + operands.compactMap(\.self)
        if columns.isEmpty { sql.add("1") }
        sql.add("\(columns.map(\.sql))\(source)")
        return sql
    }

    /// The groups that the rows of a source make.
    func groups(_ source: SQLText, _ connection: Connection) throws -> [Group] {
        let (sql, aggregates) = try choice(source, connection)
        if let aggregates {
            let statement = try connection.statement(sql)
            defer { statement.clear() }
            if let groups = try aggregates.groups(statement, connection) { return groups }
        }
        let statement = try connection.statement(aggregates == nil ? sql : plain(source))
        defer { statement.clear() }
        var grouper = ColumnGrouper(plan, keys, operands)
        while try statement.step(.fetch) { try grouper.add(statement) }
        return grouper.groups
    }
}

/// Groups whose aggregates SQLite computes as the core would.
struct AggregateQuery {
    private let plan: GroupPlan
    private let keys: [SQLExpression]
    private let operands: [SQLExpression?]

    /// - Returns: `nil` where SQLite does not tell the keys apart, or order or add the operands, as the core does.
    init?(_ plan: GroupPlan, _ keys: [SQLExpression], _ operands: [SQLExpression?]) {
        guard keys.allSatisfy(AggregateQuery.isKey) else { return nil }
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            if let operand, !AggregateQuery.computes(aggregate.function, operand) { return nil }
        }
        self.plan = plan
        self.keys = keys
        self.operands = operands
    }

    private static func isKey(_ key: SQLExpression) -> Bool {
        switch key.kind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .reference: key.isColumn
        default: false
        }
    }

    private static func computes(_ function: GroupPlan.Function, _ operand: SQLExpression) -> Bool {
        guard operand.isColumn else { return false }
        switch function {
        case .count: return true
        case .sum, .average: return operand.isNumber
        case .min, .max:
            switch operand.kind {
            case .integer, .boolean, .string, .uri, .uuid, .reference, .double, .float, .date: return true
            default: return false
            }
        case .countDistinct, .median, .standardDeviation: return false
        }
    }

    /// The statement: it selects the keys, then one to three results for each aggregate.
    ///
    /// ```sql
    /// SELECT t0.ZAGE, count(*), sum(t0.ZAGE), count(t0.ZAGE) FROM ZPERSON t0 GROUP BY t0.ZAGE
    /// ```
    func statement(_ source: SQLText) -> SQLText {
        var sql = SQLText("SELECT ")
        var isFirst = true
        func add(_ start: StaticString, _ expression: SQLExpression?, _ end: StaticString) {
            if !isFirst { sql.add(", ") }
            isFirst = false
            sql.add(start)
            expression?.add(to: &sql)
            sql.add(end)
        }
        for key in keys { add("", key, "") }
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            guard let operand else {
                add("count(*)", nil, "")
                continue
            }
            switch aggregate.function {
            case .count: add("count(", operand, ")")
            case .sum, .average:
                add("sum(", operand, ")")
                add("count(", operand, ")")
                // What is no number is kept as text, which follows all numbers.
                if operand.isFloating { add("max(", operand, ")") }
            case .min:
                add("min(", operand, ")")
                if operand.isFloating { add("max(", operand, ")") }
            case .max: add("max(", operand, ")")
            case .countDistinct, .median, .standardDeviation: break
            }
        }
        if isFirst { sql.add("count(*)") }
        sql.add(source)
        if keys.isEmpty { return sql }
        sql.add(" GROUP BY \(keys.map(\.sql))")
        return sql
    }

    /// The groups that the statement answers; `nil` where a value was no number, or a sum left the range of integers.
    func groups(_ statement: Statement, _ connection: Connection) throws -> [Group]? {
        var groups: [Group] = []
        while true {
            let code = statement.attempt()
            if code == SQLITE_DONE { return groups }
            if code & 0xFF == SQLITE_ERROR { return nil }
            guard code == SQLITE_ROW else { throw connection.error(code, .fetch) }
            guard let group = try group(statement) else { return nil }
            groups.append(group)
        }
    }

    private func group(_ statement: Statement) throws -> Group? {
        var column: Int32 = 0
        func next() -> Int32 {
            defer { column += 1 }
            return column
        }
        let values = try keys.map { try ColumnValue.read(statement, next(), $0.kind) }
        var partials: [AggregatePartial] = []
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            var partial = AggregatePartial()
            guard let operand else {
                partial.count = Int(statement.integer(next()))
                partials.append(partial)
                continue
            }
            switch aggregate.function {
            case .count: partial.count = Int(statement.integer(next()))
            case .sum, .average:
                partial.sum = try ColumnValue.read(statement, next(), operand.kind)
                partial.count = Int(statement.integer(next()))
                // Infinities of both signs add up to what is no number, of which SQL makes a null.
                if partial.sum.isNull && partial.count > 0 { return nil }
                if operand.isFloating, statement.type(next()) == SQLITE_TEXT { return nil }
            case .min:
                partial.min = try ColumnValue.read(statement, next(), operand.kind)
                if operand.isFloating, statement.type(next()) == SQLITE_TEXT { return nil }
            case .max:
                let index = next()
                if operand.isFloating, statement.type(index) == SQLITE_TEXT { return nil }
                partial.max = try ColumnValue.read(statement, index, operand.kind)
            case .countDistinct, .median, .standardDeviation: return nil
            }
            partials.append(partial)
        }
        return Group(keys: values, partials: partials)
    }
}
