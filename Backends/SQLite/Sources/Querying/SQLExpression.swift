import StrataModel
import StrataSQL

/// An expression in SQL, with what is known of its values.
struct SQLExpression {
    /// The expression, which needs no parentheses around it.
    private(set) var sql: SQLText
    /// What the values are; an integer may be a floating-point number where an operation left the range of integers.
    let kind: SlotKind
    /// Whether the values are tagged bytes.
    var isExternal = false
    /// Whether the expression is a column.
    var isColumn = false
    /// Whether the expression is an aggregate over a collection.
    var isAggregate = false
    /// Whether the expression is a parameter.
    var isParameter = false
    /// The columns that the value was computed from and that may hold `NaN`, a text, with which SQL would reckon as with 0.
    var guarded: [SQLText] = []
    /// What the value was computed from, where that is more than one thing: it is nil where any of them is.
    var sources: [SQLText] = []
    /// The root entity of the objects that the values are references of; `nil` where it is not known, or for other values.
    var root: EntityIndex?
    /// Whether a null may stand for a number that is none.
    var mayHideNaN = false

    /// A computed value.
    init(_ sql: SQLText, kind: SlotKind) {
        self.sql = sql
        self.kind = kind
    }

    /// A column.
    init(column: String, of alias: Int, kind: SlotKind, isExternal: Bool = false, root: EntityIndex? = nil) {
        var sql = SQLText()
        sql.add(column: column, of: alias)
        self.sql = sql
        self.kind = kind
        self.isExternal = isExternal
        self.root = root
        isColumn = true
    }

    func add(to sql: inout SQLText) { sql.add(self.sql) }

    /// The same value by an expression that no index serves.
    mutating func hideFromIndexes(as sql: SQLText) { self.sql = sql }

    /// Whether the values are integers for certain: what was computed may have left their range.
    var isCertainlyInteger: Bool { isInteger && (isColumn || isParameter) }

    /// Whether the values are floating-point numbers, among which a `NaN` is kept as text.
    var isFloating: Bool { kind == .double || kind == .float || kind == .date }
    var isInteger: Bool { kind == .integer }
    /// Whether the values are numbers that SQL orders by magnitude.
    var isNumber: Bool { kind == .integer || kind == .double || kind == .float }
    var isText: Bool { kind == .string || kind == .uri }

    /// What has to be a number, or nothing, for SQL to reckon with the value as the core does.
    var numbers: [SQLText] { isColumn && isFloating ? [sql] : guarded }

    /// What makes the value nil where it is nil.
    var nullable: [SQLText] { isParameter ? [] : sources.isEmpty ? [sql] : sources }

    /// Whether SQL may see a number where there is none: it reckons with a text as with 0, and a nil beside it makes the value nil.
    var mayHideNil: Bool { !isColumn && !numbers.isEmpty && sources.count > 1 }

    /// Takes over what is known of the values that this one was computed from.
    mutating func derive(from operands: [SQLExpression]) {
        guarded = operands.flatMap(\.numbers)
        sources = operands.flatMap(\.nullable)
        mayHideNaN = operands.contains { $0.mayHideNaN }
    }
}
