import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataSQL

extension PostgreSQLDialect {
    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails? {
        switch kind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .binary, .reference: ExpressionDetails(kind)
        case .decimal, .transformable, .entity, .order: nil
        }
    }

    static func details(ofEither a: SQLExpression, or b: SQLExpression) -> ExpressionDetails? { ExpressionDetails(a.kind) }

    static func constant(_ value: Value) -> SQLExpression? {
        let (parameter, kind): (SQLParameter, SlotKind)
        switch value {
        case .int(let number): (parameter, kind) = (.bigint(number), .integer)
        case .double(let number) where !number.isNaN: (parameter, kind) = (.double(number), .double)
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
            (parameter, kind) = (.double(date.timeIntervalSinceReferenceDate), .date)
        case .bool(let flag): (parameter, kind) = (.boolean(flag), .boolean)
        case .string(let text) where !text.utf8.contains(0): (parameter, kind) = (.text(text), .string)
        case .url(let url) where !url.absoluteString.utf8.contains(0): (parameter, kind) = (.text(url.absoluteString), .uri)
        case .uuid(let uuid):
            (parameter, kind) = (
                SQLParameter(oid: ColumnType.uuid.oid, bytes: unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }), .uuid
            )
        default: return nil
        }
        return SQLExpression(SQLText("\(bind: parameter)"), kind: kind, isNumber: true)
    }
}

extension ConditionCompiler {
    /// A value that is null where the core's is nil, and nowhere else.
    mutating func settled(_ expression: SQLExpression) -> SQLExpression? {
        if expression.isColumn || !expression.mayBeNaN { return expression }
        return admitFailure() ? expression.withoutNaN : nil
    }
}
