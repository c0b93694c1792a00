import StrataModel
import StrataSQL

extension PostgreSQLDialect {
    /// The knowledge of an expression's values besides their kind.
    struct ExpressionDetails: Sendable {
        /// Whether a value may be NaN.
        let mayBeNaN: Bool

        /// - Parameter isNumber: Whether no value is NaN.
        init(_ kind: SlotKind, isNumber: Bool = false) {
            mayBeNaN = !isNumber && (kind == .double || kind == .float || kind == .date)
        }
    }
}

extension SQLExpression {
    init(_ sql: SQLText, kind: SlotKind, isNumber: Bool = false) {
        self.init(sql, kind: kind, details: PostgreSQLDialect.ExpressionDetails(kind, isNumber: isNumber))
    }

    /// Whether a value may be NaN.
    var mayBeNaN: Bool { details.mayBeNaN }
    /// Whether NaN is a value of the kind: a date is a number for the server.
    var hasNaN: Bool { isFloating || kind == .date }
    /// Whether the values are floating-point numbers to calculate with.
    var isFloating: Bool { kind == .double || kind == .float }

    /// The integers as floating-point numbers.
    var asFloating: SQLExpression { isInteger ? floating("", "::double precision") : self }

    /// The integers as floating-point numbers that are equal to them: others make the statement fail.
    var asEqualFloating: SQLExpression {
        isInteger ? floating("((", " * 1024) / 1024)::double precision") : self
    }

    private func floating(_ start: StaticString, _ end: StaticString) -> SQLExpression {
        return SQLExpression(SQLText("\(start)\(sql)\(end)"), kind: .double, isNumber: true)
    }

    /// The values, of which a NaN makes the statement fail: `CASE WHEN x = 'NaN' THEN x::bigint ELSE x END`.
    ///
    /// A computed NaN may stand for nil, as that of infinities of both signs.
    var withoutNaN: SQLExpression {
        guard mayBeNaN else { return self }
        let text = SQLText("(CASE WHEN \(sql) = 'NaN' THEN \(sql)::bigint ELSE \(sql) END)")
        return SQLExpression(text, kind: kind, isNumber: true)
    }
}
