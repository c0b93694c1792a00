import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// An attribute or a to-one relationship, of the object or of what to-one relationships reference.
struct ColumnOperand {
    let column: SQLText
    let kind: SlotKind
    /// Whether a value may be what is no number, or one of two zeros that are equal.
    let isFloating: Bool

    /// - Parameters:
    ///   - isCounted: Whether no more matters than whether there is a value.
    ///   - isKey: Whether no more matters than which values are equal.
    /// - Returns: `nil` for other expressions, and for attributes whose values the server does not tell apart as the core does.
    init?(_ expression: ResolvedExpression, _ scope: inout QueryScope, isCounted: Bool = false, isKey: Bool = false) {
        guard let path = expression.path, let slot = path.leafSlot else { return nil }
        kind = path.leafKind
        switch kind {
        case .integer, .boolean, .string, .double, .float, .date, .uuid, .uri, .reference: break
        case .decimal where isKey: break
        case .decimal, .binary, .transformable, .order, .entity:
            if !isCounted { return nil }
        }
        guard let table = scope.join(path), let found = table.column(slot) else { return nil }
        column = "\(column: found.name, of: table.alias)"
        // A date is a number for the server.
        isFloating = kind == .double || kind == .float || kind == .date
    }

    /// The column as it is selected.
    var selected: SQLText { kind == .decimal ? applied("(", ")::text") : column }

    /// The column as an expression.
    var expression: SQLExpression {
        var expression = SQLExpression(column, kind: kind)
        expression.isColumn = true
        return expression
    }

    /// Whether the order matters in which values are added up.
    var isAddedInOrder: Bool { kind == .double || kind == .float }

    /// The sum in the order of the objects, in which the core adds up: `sum(t0."rate" ORDER BY t0."_id")`.
    var sumInOrder: SQLText { "sum(\(column) ORDER BY \(column: EntityTable.id))" }

    /// The column between a function's parentheses.
    func applied(_ start: StaticString, _ end: StaticString = ")") -> SQLText { "\(start)\(column)\(end)" }

    /// Whether something is among some values that the core puts elsewhere among numbers, or of which it tells two equal ones apart.
    var hasOddNumbers: SQLText { "bool_or(\(column) = 'NaN' OR \(column) = 0 AND \(column)::text = '-0')" }
}

extension ResultTable {
    /// The value of a kind in a column.
    func value(_ row: Int, _ column: Int, _ kind: SlotKind) -> Value {
        switch kind {
        case .boolean: number(row, column, as: UInt8.self).map { .bool($0 != 0) } ?? .null
        case .string: text(row, column).map { .string($0) } ?? .null
        case .decimal: text(row, column).flatMap { DecimalText.decimal($0) }.map { .decimal($0) } ?? .null
        case .uri: text(row, column).flatMap { URL(string: $0) }.map { .url($0) } ?? .null
        case .double, .float: double(row, column).map { .double($0) } ?? .null
        case .date: double(row, column).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .uuid:
            unsafe bytes(row, column).flatMap { bytes in
                unsafe bytes.count == 16 ? .some(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))) : .none
            } ?? .null
        default: integer(row, column).map { .int($0) } ?? .null
        }
    }

    private func double(_ row: Int, _ column: Int) -> Double? {
        number(row, column, as: UInt64.self).map { Double(bitPattern: $0) }
    }
}
