import StrataSQL

/// A value of a statement's parameter.
enum SQLBinding: Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    /// Text by its bytes, which need not be valid UTF-8: the end of a range of texts.
    case textBytes([UInt8])
    case blob([UInt8])
    /// Several values in one parameter, for a function of Strata's.
    case set(BindingSet)

    /// A value as a column of its kind stores it, except for NaN; `nil` for one that no parameter takes.
    init?(_ value: Value) {
        switch value {
        case .int(let number): self = .integer(number)
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        case .double(let number): self = .double(number)
        case .date(let date): self = .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): self = .text(text)
        case .url(let url): self = .text(url.absoluteString)
        case .uuid(let uuid): self = unsafe .blob(withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) })
        case .data(let data): self = .blob(Array(data))
        case .null, .decimal, .objectID, .list: return nil
        }
    }

    /// Whether the value is not a floating-point number, or a finite one.
    var isFinite: Bool { if case .double(let number) = self { number.isFinite } else { true } }
    var isNaN: Bool { if case .double(let number) = self { number.isNaN } else { false } }
}

extension SQLText.StringInterpolation {
    /// Adds a value where SQL takes no parameter: a number, or a text without a NUL.
    mutating func appendInterpolation(literal value: SQLBinding) {
        switch value {
        case .integer(let number): sql.add(number: number)
        case .double(let number): sql.add(number: number)
        case .text(let string): sql.add(literal: string)
        default: sql.add("NULL")
        }
    }

    /// Adds a column's name and type: `ZTITLE VARCHAR`.
    mutating func appendInterpolation(declaring column: Column) {
        sql.add(identifier: column.name)
        switch column.kind {
        case .integer, .boolean, .reference, .entity, .order: sql.add(" INTEGER")
        case .double, .float: sql.add(" FLOAT")
        case .date: sql.add(" TIMESTAMP")
        case .decimal: sql.add(" DECIMAL")
        case .string, .uri: sql.add(" VARCHAR")
        case .uuid, .binary, .transformable: sql.add(" BLOB")
        }
    }
}
