import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataSQL

extension SQLiteDialect {
    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails? {
        ExpressionDetails(isExternal: column?.isExternal ?? false)
    }

    static func details(ofEither a: SQLExpression, or b: SQLExpression) -> ExpressionDetails? {
        guard a.numbers.isEmpty, b.numbers.isEmpty, !a.isExternal, !b.isExternal else { return nil }
        return ExpressionDetails(mayHideNaN: a.mayHideNaN || b.mayHideNaN)
    }

    static func constant(_ value: Value) -> SQLExpression? {
        var sql = SQLText()
        let kind: SlotKind
        switch value {
        case .int(let number):
            sql.bind(.integer(number))
            kind = .integer
        case .double(let number) where number.isFinite:
            sql.bind(.double(number))
            kind = .double
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
            sql.bind(.double(date.timeIntervalSinceReferenceDate))
            kind = .date
        case .bool(let flag):
            sql.bind(.integer(flag ? 1 : 0))
            kind = .boolean
        case .string(let text):
            sql.bind(.text(text))
            kind = .string
        case .url(let url):
            sql.bind(.text(url.absoluteString))
            kind = .uri
        default: return nil
        }
        var parameter = SQLExpression(sql, kind: kind)
        parameter.details.isParameter = true
        return parameter
    }

    static func aggregate(
        _ function: AggregateFunction, of operand: SQLExpression?, inOrder order: [SQLText], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard let result = AggregateSQL(function, operand) else { return nil }
        return SQLExpression(result.sql, kind: result.kind, details: ExpressionDetails(isAggregate: true))
    }
}
