import StrataSQL

extension PostgreSQLDialect {
    /// Properties of an expression's values besides their kind.
    struct ExpressionDetails: Sendable {
        /// Whether a value may be NaN.
        let mayBeNaN: Bool

        /// - Parameter isNumber: Whether no value is NaN.
        init(_ kind: SlotKind, isNumber: Bool = false) {
            mayBeNaN = !isNumber && (kind == .double || kind == .float || kind == .date || kind == .decimal)
        }
    }

    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails? {
        switch kind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .binary, .reference, .decimal: ExpressionDetails(kind)
        case .transformable, .entity, .order: nil
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
        case .decimal:
            guard let number = SQLParameter.numeric(value) else { return nil }
            (parameter, kind) = (number, .decimal)
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

extension SQLExpression {
    init(_ sql: SQLText, kind: SlotKind, isNumber: Bool = false) {
        self.init(sql, kind: kind, details: PostgreSQLDialect.ExpressionDetails(kind, isNumber: isNumber))
    }

    var mayBeNaN: Bool { details.mayBeNaN }
    /// Whether the kind includes NaN: the server keeps a date as a number.
    var hasNaN: Bool { isFloating || kind == .date }
    /// Whether the values are floating-point numbers with arithmetic.
    var isFloating: Bool { kind == .double || kind == .float }

    /// Integers converted to floating-point numbers.
    var asFloating: SQLExpression { isInteger ? floating("", "::double precision") : self }

    /// Integers converted to floating-point numbers; the statement fails where that is not exact.
    var asEqualFloating: SQLExpression {
        isInteger ? floating("((", " * 1024) / 1024)::double precision") : self
    }

    private func floating(_ start: StaticString, _ end: StaticString) -> SQLExpression {
        return SQLExpression(SQLText("\(start)\(sql)\(end)"), kind: .double, isNumber: true)
    }

    /// The values; the statement fails for NaN: `CASE WHEN x = 'NaN' THEN x::bigint ELSE x END`.
    ///
    /// A computed NaN may be nil to the core, such as the sum of infinities of both signs.
    var withoutNaN: SQLExpression {
        guard mayBeNaN else { return self }
        let text = SQLText("(CASE WHEN \(sql) = 'NaN' THEN \(sql)::bigint ELSE \(sql) END)")
        return SQLExpression(text, kind: kind, isNumber: true)
    }
}

extension ConditionCompiler {
    /// Returns a value that is null exactly where the core's is nil.
    mutating func settled(_ expression: SQLExpression) -> SQLExpression? {
        if expression.isColumn || !expression.mayBeNaN { return expression }
        return admitFailure() ? expression.withoutNaN : nil
    }
}
