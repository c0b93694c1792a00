import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// The SQL of MySQL, as far as a store would need it to filter: it is printed, and no server runs it.
enum MySQLDialect: SQLDialect {
    enum Binding: Sendable, Hashable {
        case integer(Int64)
        case double(Double)
        case text(String)
    }

    struct Column: SQLColumn {
        let name: String
        let kind: SlotKind
        let property: String

        func canBecome(_ other: Column) -> Bool { kind == other.kind }
        func takes(_ value: Value) -> Bool { MySQLDialect.binding(value) != nil }
    }

    typealias TableName = String
    typealias TableDetails = ()
    typealias JoinDetails = ()
    typealias SchemaDetails = ()
    typealias ExpressionDetails = ()
    typealias Text = SQLText<MySQLDialect>
    typealias Expression = SQLExpression<MySQLDialect>
    typealias Compiler = ConditionCompiler<MySQLDialect>

    static let numbersPlaceholders = false
    static let (keyColumn, entityColumn, versionColumn) = ("id", "entity", "version")
    static let (trueCondition, falseCondition): (StaticString, StaticString) = ("TRUE", "FALSE")
    static let longestChain = Int.max
    static let longestListOfExpressions = 8
    static let joinsPaths = true
    static let looksUpOwners = false

    // MARK: - Text

    static func append(placeholder number: Int, to text: inout String) { text += "?" }

    static func append(identifier name: String, to text: inout String) { text += "`" + name.replacing("`", with: "``") + "`" }

    static func append(literal value: String, to text: inout String) {
        text += "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }

    static func add(_ table: String, to sql: inout Text) { sql.add(identifier: table) }

    // MARK: - Values

    private static func binding(_ value: Value) -> Binding? {
        switch value {
        case .int(let number): .integer(number)
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .double(let number) where number.isFinite: .double(number)
        case .string(let text): .text(text)
        default: nil
        }
    }

    static func constant(_ value: Value) -> Expression? {
        guard let binding = binding(value) else { return nil }
        let kind: SlotKind
        switch value {
        case .int: kind = .integer
        case .bool: kind = .boolean
        case .double: kind = .double
        default: kind = .string
        }
        var sql = Text()
        sql.bind(binding)
        return Expression(sql, kind: kind, details: ())
    }

    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails? {
        switch kind {
        case .integer, .boolean, .double, .string, .reference: ()
        default: nil
        }
    }

    static func details(ofEither a: Expression, or b: Expression) -> ExpressionDetails? { () }

    // MARK: - Comparisons

    static func condition(
        _ left: Expression, _ op: QueryComparison.Operator, value: Value, options: QueryComparison.Options, in compiler: inout Compiler
    ) -> Condition<MySQLDialect>? {
        guard options.isEmpty else { return nil }
        switch (op, value) {
        case (.equal, .null): return Condition(joined(left.sql, " IS NULL"), opposite: joined(left.sql, " IS NOT NULL"))
        case (.notEqual, .null): return Condition(joined(left.sql, " IS NOT NULL"), opposite: joined(left.sql, " IS NULL"))
        case (.isIn, .list(let values)):
            return compiler.any(values.map { condition(left, .equal, value: $0, options: [], in: &compiler) })
        case (.equal, _):
            return constant(value).map { Condition(joined(left.sql, " = ", $0.sql), opposite: negatedEquality(left.sql, $0.sql)) }
        default: return constant(value).flatMap { condition(left, op, other: $0, options: [], in: &compiler) }
        }
    }

    static func condition(
        _ left: Expression, _ op: QueryComparison.Operator, other: Expression, options: QueryComparison.Options, in compiler: inout Compiler
    ) -> Condition<MySQLDialect>? {
        guard options.isEmpty, left.kind == other.kind, left.root == other.root else { return nil }
        switch op {
        case .equal: return Condition(joined(left.sql, " <=> ", other.sql), opposite: negatedEquality(left.sql, other.sql))
        case .notEqual: return Condition(negatedEquality(left.sql, other.sql), opposite: joined(left.sql, " <=> ", other.sql))
        case .less: return Condition(joined(left.sql, " < ", other.sql))
        case .lessOrEqual: return Condition(joined(left.sql, " <= ", other.sql))
        case .greater: return Condition(joined(left.sql, " > ", other.sql))
        case .greaterOrEqual: return Condition(joined(left.sql, " >= ", other.sql))
        // A column's texts may be compared without regard to case, so that more rows come than meet the test.
        case .contains where left.isText:
            var sql = Text("LOCATE(")
            sql.add(other.sql)
            sql.add(", ")
            sql.add(left.sql)
            sql.add(") > 0")
            return Condition(sql, isExact: false)
        default: return nil
        }
    }

    private static func joined(_ left: Text, _ word: StaticString, _ right: Text = Text()) -> Text {
        var sql = left
        sql.add(word)
        sql.add(right)
        return sql
    }

    private static func negatedEquality(_ left: Text, _ right: Text) -> Text {
        var sql = Text("NOT (")
        sql.add(joined(left, " <=> ", right))
        sql.add(")")
        return sql
    }

    // MARK: - Functions

    static func call(_ function: QueryFunction, _ arguments: [ResolvedExpression], in compiler: inout Compiler) -> Expression? {
        // Numbers that leave their range fail.
        guard let operands = compiler.operands(arguments, of: function)?.map(\.operand), operands.count == 2,
            operands.allSatisfy(\.isInteger), compiler.admitFailure()
        else { return nil }
        let word: StaticString
        switch function {
        case .add: word = " + "
        case .subtract: word = " - "
        case .multiply: word = " * "
        default: return nil
        }
        var sql = Text("(")
        sql.add(joined(operands[0].sql, word, operands[1].sql))
        sql.add(")")
        return Expression(sql, kind: .integer, details: ())
    }

    static func aggregate(
        _ function: AggregateFunction, of operand: Expression?, inOrder order: [Text], in compiler: inout Compiler
    ) -> Expression? {
        guard let operand else { return function == .count ? Expression(Text("COUNT(*)"), kind: .integer, details: ()) : nil }
        var sql: Text
        switch function {
        case .min where operand.isInteger: sql = Text("MIN(")
        case .max where operand.isInteger: sql = Text("MAX(")
        default: return nil
        }
        sql.add(operand.sql)
        sql.add(")")
        return Expression(sql, kind: operand.kind, details: ())
    }
}
