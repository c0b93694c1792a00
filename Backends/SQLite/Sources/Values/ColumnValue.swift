import CStrataSQLite
import StrataEngine
import StrataSQL

/// Reads values from the columns of a result, equal to those of the rows' slots.
enum ColumnValue {
    /// Whether the values of an expression can be read without the rest of the row.
    static func canRead(_ expression: SQLExpression) -> Bool {
        if expression.isExternal || expression.mayHideNaN || expression.kind == .entity || expression.kind == .order { return false }
        // SQL computes with `NaN` as with 0.
        return expression.isColumn || expression.guarded.isEmpty || expression.isAggregate
    }

    /// Returns the value of an expression in a result.
    ///
    /// - Throws: `UnavailableValue` where the column has the name of a file instead of the value.
    static func read(_ statement: Statement, _ column: Int32, _ expression: SQLExpression) throws -> Value {
        // The sum of no numbers is an integer.
        if expression.isAggregate && statement.type(column) == SQLITE_INTEGER && expression.isFloating && expression.kind != .date {
            return .int(statement.integer(column))
        }
        if expression.isAggregate && expression.kind == .decimal && statement.type(column) == SQLITE_FLOAT && statement.double(column) == 0
        {
            return .int(0)
        }
        return try read(statement, column, expression.kind)
    }

    static func read(_ statement: Statement, _ column: Int32, _ kind: SlotKind) throws -> Value {
        let type = statement.type(column)
        if type == SQLITE_NULL { return .null }
        switch kind {
        case .integer: return type == SQLITE_FLOAT ? .double(statement.double(column)) : .int(statement.integer(column))
        case .reference, .entity, .order: return .int(statement.integer(column))
        case .boolean: return .bool(statement.integer(column) != 0)
        case .double, .float: return .double(type == SQLITE_TEXT ? .nan : statement.double(column))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: type == SQLITE_TEXT ? .nan : statement.double(column)))
        case .string: return statement.text(column).map { .string($0) } ?? .null
        case .uri: return statement.text(column).flatMap { URL(string: $0) }.map { .url($0) } ?? .null
        case .uuid:
            guard let bytes = unsafe statement.blobBytes(column), bytes.count == 16 else { return .null }
            return unsafe .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .binary, .transformable:
            guard let bytes = unsafe statement.blobBytes(column) else { return .null }
            if type == SQLITE_TEXT, let name = unsafe ExternalTag.fileName(in: bytes) { throw UnavailableValue(.missing, path: name) }
            return unsafe .data(Data(bytes))
        case .decimal: return DecimalColumn.text(statement, column).flatMap { DecimalText.decimal($0) }.map { .decimal($0) } ?? .null
        }
    }
}
