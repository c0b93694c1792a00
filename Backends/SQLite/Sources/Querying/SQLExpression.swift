import StrataSQL

extension SQLiteDialect {
    /// Properties of an expression's values besides their kind; an integer may be a floating-point number after an overflow.
    struct ExpressionDetails: Sendable {
        /// Whether the values are tagged bytes.
        var isExternal = false
        /// Whether the expression is an aggregate over a collection.
        var isAggregate = false
        var isParameter = false
        /// Whether the value is a part of a date: an integer, though it is computed.
        var isDatePart = false
        /// The columns that the value is computed from and that may contain `NaN`, a text, which SQL evaluates as 0.
        var guarded: [SQLText] = []
        /// The operands that the value is computed from, where there are several: it is nil where any of them is.
        var sources: [SQLText] = []
        /// Whether a null may represent NaN.
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
            case .decimal(let number): number.isNaN ? nil : .decimal
            default: nil
            }
        guard let kind, let binding = kind == .decimal ? DecimalColumn.binding(value) : SQLBinding(value), binding.isFinite else {
            return nil
        }
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

    /// Whether all values are integers: a computed one may have overflowed.
    var isCertainlyInteger: Bool { isInteger && (isColumn || isParameter || details.isDatePart) }

    /// Whether the values are floating-point numbers, of which `NaN` is stored as text.
    var isFloating: Bool { kind == .double || kind == .float || kind == .date }

    /// The columns that must contain numbers or null for SQL to compute as the core does.
    var numbers: [SQLText] { isColumn && isFloating ? [sql] : guarded }

    /// The operands that make the value nil where they are nil.
    var nullable: [SQLText] { isParameter ? [] : details.sources.isEmpty ? [sql] : details.sources }

    /// Whether SQL may compute a number where the core has nil: SQL evaluates a text as 0, and the core's value is nil where an operand is.
    var mayHideNil: Bool { !isColumn && !numbers.isEmpty && details.sources.count > 1 }

    /// Combines the properties of the operands that this value is computed from.
    mutating func derive(from operands: [SQLExpression]) {
        details.guarded = operands.flatMap(\.numbers)
        details.sources = operands.flatMap(\.nullable)
        details.mayHideNaN = operands.contains { $0.mayHideNaN }
    }
}
