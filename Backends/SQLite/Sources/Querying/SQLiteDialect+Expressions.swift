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
        let (binding, kind): (SQLBinding, SlotKind)
        switch value {
        case .int(let number): (binding, kind) = (.integer(number), .integer)
        case .double(let number) where number.isFinite: (binding, kind) = (.double(number), .double)
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
            (binding, kind) = (.double(date.timeIntervalSinceReferenceDate), .date)
        case .bool(let flag): (binding, kind) = (.integer(flag ? 1 : 0), .boolean)
        case .string(let text): (binding, kind) = (.text(text), .string)
        case .url(let url): (binding, kind) = (.text(url.absoluteString), .uri)
        default: return nil
        }
        var parameter = SQLExpression("\(bind: binding)", kind: kind)
        parameter.details.isParameter = true
        return parameter
    }
}
