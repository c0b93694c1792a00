import CSQLite
import FoundationEssentials
import StrataModel
import StrataQuery
import StrataStore

/// Groups and aggregates that SQLite computes as the core would.
struct GroupQuery {
    private let plan: GroupPlan
    private let keys: [JoinSet.Leaf]
    private let operands: [JoinSet.Leaf?]

    /// A query for a grouping.
    ///
    /// - Returns: `nil` where a key or an aggregate is over values that SQLite does not tell apart, order or add as the core does.
    init?(_ plan: GroupPlan, _ compiler: inout PredicateCompiler) {
        self.plan = plan
        var keys: [JoinSet.Leaf] = []
        for key in plan.keys {
            guard let path = key.path, let leaf = compiler.leaf(path), GroupQuery.isKey(leaf) else { return nil }
            keys.append(leaf)
        }
        var operands: [JoinSet.Leaf?] = []
        for aggregate in plan.aggregates {
            guard let expression = aggregate.expression else {
                guard aggregate.function == .count else { return nil }
                operands.append(nil)
                continue
            }
            guard let path = expression.path, let leaf = compiler.leaf(path), GroupQuery.computes(aggregate.function, leaf) else { return nil }
            operands.append(leaf)
        }
        self.keys = keys
        self.operands = operands
    }

    private static func isKey(_ leaf: JoinSet.Leaf) -> Bool {
        switch leaf.kind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .reference: true
        default: false
        }
    }

    private static func computes(_ function: GroupPlan.Function, _ leaf: JoinSet.Leaf) -> Bool {
        switch (function, leaf.kind) {
        case (.count, _): true
        case (.sum, .integer), (.sum, .double), (.sum, .float), (.average, .integer), (.average, .double), (.average, .float): true
        case (.sum, _), (.average, _): false
        case (.min, .integer), (.min, .boolean), (.min, .string), (.min, .uri), (.min, .uuid), (.min, .reference): true
        case (.max, .integer), (.max, .boolean), (.max, .string), (.max, .uri), (.max, .uuid), (.max, .reference): true
        case (.max, .double), (.max, .float), (.max, .date), (.min, .double), (.min, .float), (.min, .date): true
        default: false
        }
    }

    /// Adds what to select: the keys, then one to three results for each aggregate.
    func addColumns(to sql: inout SQLText) {
        var isFirst = true
        func next(_ sql: inout SQLText) {
            if !isFirst { sql.add(", ") }
            isFirst = false
        }
        func call(_ function: StaticString, _ leaf: JoinSet.Leaf, _ sql: inout SQLText) {
            next(&sql)
            sql.add(function)
            leaf.add(to: &sql)
            sql.add(")")
        }
        for key in keys {
            next(&sql)
            key.add(to: &sql)
        }
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            guard let operand else {
                next(&sql)
                sql.add("count(*)")
                continue
            }
            switch aggregate.function {
            case .count: call("count(", operand, &sql)
            case .sum, .average:
                call("sum(", operand, &sql)
                call("count(", operand, &sql)
                if operand.kind != .integer { call("max(", operand, &sql) }
            case .min:
                call("min(", operand, &sql)
                if GroupQuery.isFloating(operand) { call("max(", operand, &sql) }
            case .max: call("max(", operand, &sql)
            case .countDistinct, .median, .standardDeviation: break
            }
        }
        if isFirst { sql.add("count(*)") }
    }

    func addGrouping(to sql: inout SQLText) {
        if keys.isEmpty { return }
        sql.add(" GROUP BY ")
        sql.add(keys, separator: ", ") { $1.add(to: &$0) }
    }

    private static func isFloating(_ leaf: JoinSet.Leaf) -> Bool {
        leaf.kind == .double || leaf.kind == .float || leaf.kind == .date
    }

    /// The groups that a statement answers.
    ///
    /// - Returns: `nil` where a value was no number, or a sum left the range of integers: there the core's rules hold.
    mutating func groups(_ statement: Statement, _ connection: Connection) throws -> [Group]? {
        var groups: [Group] = []
        while true {
            let code = statement.attempt()
            if code == SQLITE_DONE { return groups }
            if code & 0xFF == SQLITE_ERROR { return nil }
            guard code == SQLITE_ROW else { throw connection.error(code, "fetch") }
            guard let group = group(statement) else { return nil }
            groups.append(group)
        }
    }

    private func group(_ statement: Statement) -> Group? {
        var column: Int32 = 0
        var values: [Value] = []
        for key in keys {
            values.append(GroupQuery.value(statement, column, key.kind))
            column += 1
        }
        var partials: [AggregatePartial] = []
        for (aggregate, operand) in zip(plan.aggregates, operands) {
            var partial = AggregatePartial()
            guard let operand else {
                partial.count = Int(statement.integer(column))
                column += 1
                partials.append(partial)
                continue
            }
            switch aggregate.function {
            case .count:
                partial.count = Int(statement.integer(column))
                column += 1
            case .sum, .average:
                partial.sum = GroupQuery.value(statement, column, operand.kind)
                partial.count = Int(statement.integer(column + 1))
                column += 2
                if operand.kind != .integer {
                    if statement.type(column) == SQLITE_TEXT { return nil }
                    column += 1
                }
            case .min:
                partial.min = GroupQuery.value(statement, column, operand.kind)
                column += 1
                if GroupQuery.isFloating(operand) {
                    if statement.type(column) == SQLITE_TEXT { return nil }
                    column += 1
                }
            case .max:
                if GroupQuery.isFloating(operand), statement.type(column) == SQLITE_TEXT { return nil }
                partial.max = GroupQuery.value(statement, column, operand.kind)
                column += 1
            case .countDistinct, .median, .standardDeviation: return nil
            }
            partials.append(partial)
        }
        return Group(keys: values, partials: partials)
    }

    private static func value(_ statement: Statement, _ column: Int32, _ kind: SlotKind) -> Value {
        let type = statement.type(column)
        if type == SQLITE_NULL { return .null }
        switch kind {
        case .integer, .reference, .entity, .order: return .int(statement.integer(column))
        case .boolean: return .bool(statement.integer(column) != 0)
        case .double, .float: return .double(type == SQLITE_TEXT ? .nan : statement.double(column))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: type == SQLITE_TEXT ? .nan : statement.double(column)))
        case .string: return statement.text(column).map { .string($0) } ?? .null
        case .uri: return statement.text(column).flatMap { URL(string: $0) }.map { .url($0) } ?? .null
        case .uuid:
            guard let bytes = statement.blobBytes(column), bytes.count == 16 else { return .null }
            return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .decimal, .binary, .transformable: return .null
        }
    }
}
