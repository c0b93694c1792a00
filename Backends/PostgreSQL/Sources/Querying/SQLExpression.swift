import FoundationEssentials
import StrataModel
import StrataSQL

/// An expression in SQL, with what is known of its values.
struct SQLExpression {
    /// The expression, which needs no parentheses around it.
    let sql: SQLText
    let kind: SlotKind
    /// Whether the expression is a column as it is.
    var isColumn = false
    /// The root entity of the objects that the values are references of.
    var root: EntityIndex?
    /// Whether a value may be what is no number.
    let mayBeNaN: Bool

    init(_ sql: SQLText, kind: SlotKind, isNumber: Bool = false) {
        self.sql = sql
        self.kind = kind
        mayBeNaN = !isNumber && (kind == .double || kind == .float || kind == .date)
    }

    var isInteger: Bool { kind == .integer }
    /// Whether the values are floating-point numbers to reckon with.
    var isFloating: Bool { kind == .double || kind == .float }
    var isNumber: Bool { isInteger || isFloating }
    var isText: Bool { kind == .string || kind == .uri }

    /// A constant; `nil` where the server has no such value.
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
        var sql = SQLText()
        sql.bind(parameter)
        return SQLExpression(sql, kind: kind, isNumber: true)
    }

    /// The integers as floating-point numbers.
    var asFloating: SQLExpression { isInteger ? floating("", "::double precision") : self }

    /// The integers as floating-point numbers that are equal to them: others make the statement fail.
    var asEqualFloating: SQLExpression {
        isInteger ? floating("((", " * 1024) / 1024)::double precision") : self
    }

    private func floating(_ start: StaticString, _ end: StaticString) -> SQLExpression {
        var text = SQLText(start)
        text.add(sql)
        text.add(end)
        return SQLExpression(text, kind: .double, isNumber: true)
    }

    /// The values, of which one that is no number makes the statement fail: `CASE WHEN x = 'NaN' THEN x::bigint ELSE x END`.
    ///
    /// A computed one may stand for nil, as that of infinities of both signs.
    var withoutNaN: SQLExpression {
        guard mayBeNaN else { return self }
        var text = SQLText("(CASE WHEN ")
        text.add(sql)
        text.add(" = 'NaN' THEN ")
        text.add(sql)
        text.add("::bigint ELSE ")
        text.add(sql)
        text.add(" END)")
        return SQLExpression(text, kind: kind, isNumber: true)
    }
}
