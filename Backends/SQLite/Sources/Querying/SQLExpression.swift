import StrataSQL

extension SQLiteDialect {
    /// The knowledge of an expression's values besides their kind; an integer may be a floating-point number where an operation left the
    /// range of integers.
    struct ExpressionDetails: Sendable {
        /// Whether the values are tagged bytes.
        var isExternal = false
        /// Whether the expression is an aggregate over a collection.
        var isAggregate = false
        var isParameter = false
        /// The columns that the value was computed from and that may hold `NaN`, a text, with which SQL would calculate as with 0.
        var guarded: [SQLText] = []
        /// The operands that the value was computed from, where there are several: it is nil where any of them is.
        var sources: [SQLText] = []
        /// Whether a null may stand for NaN.
        var mayHideNaN = false
    }

    static func details(of kind: SlotKind, in column: Column?) -> ExpressionDetails? {
        ExpressionDetails(isExternal: column?.isExternal ?? false)
    }

    static func details(ofEither a: SQLExpression, or b: SQLExpression) -> ExpressionDetails? {
        guard a.numbers.isEmpty, b.numbers.isEmpty, !a.isExternal, !b.isExternal else { return nil }
        return ExpressionDetails(mayHideNaN: a.mayHideNaN || b.mayHideNaN)
    }

    static func constant(_ value: Value) -> SQLExpression? {
        let kind: SlotKind? =
            switch value {
            case .int: .integer
            case .double: .double
            case .date: .date
            case .bool: .boolean
            case .string: .string
            case .url: .uri
            default: nil
            }
        guard let kind, let binding = SQLBinding(value), binding.isFinite else { return nil }
        var parameter = SQLExpression("\(bind: binding)", kind: kind)
        parameter.details.isParameter = true
        return parameter
    }
}

extension SQLExpression {
    init(_ sql: SQLText, kind: SlotKind) { self.init(sql, kind: kind, details: SQLiteDialect.ExpressionDetails()) }

    var isExternal: Bool { details.isExternal }
    var isAggregate: Bool { details.isAggregate }
    var isParameter: Bool { details.isParameter }
    var guarded: [SQLText] { details.guarded }
    var mayHideNaN: Bool { details.mayHideNaN }

    /// Whether the values are integers for certain: what was computed may have left their range.
    var isCertainlyInteger: Bool { isInteger && (isColumn || isParameter) }

    /// Whether the values are floating-point numbers, among which a `NaN` is kept as text.
    var isFloating: Bool { kind == .double || kind == .float || kind == .date }

    /// The columns that have to hold a number or nothing for SQL to calculate with the value as the core does.
    var numbers: [SQLText] { isColumn && isFloating ? [sql] : guarded }

    /// The operands that make the value nil where they are nil.
    var nullable: [SQLText] { isParameter ? [] : details.sources.isEmpty ? [sql] : details.sources }

    /// Whether SQL may see a number where there is none: it calculates with a text as with 0, and a nil beside it makes the value nil.
    var mayHideNil: Bool { !isColumn && !numbers.isEmpty && details.sources.count > 1 }

    /// Takes over the knowledge of the values that this one was computed from.
    mutating func derive(from operands: [SQLExpression]) {
        details.guarded = operands.flatMap(\.numbers)
        details.sources = operands.flatMap(\.nullable)
        details.mayHideNaN = operands.contains { $0.mayHideNaN }
    }
}
