import FoundationEssentials
import StrataModel
import StrataSQL

/// A constant as a column holds it.
enum Operand {
    case binding(SQLBinding)
    /// A floating-point constant that is no number.
    case notANumber

    /// A constant to compare with a column's values.
    ///
    /// - Returns: `nil` where the column's order or equality is not the values' own: decimals, tagged bytes, constants of another kind.
    init?(_ value: Value, for column: SQLExpression) {
        if column.isExternal { return nil }
        switch (column.kind, value) {
        case (.integer, .int(let number)): self = .binding(.integer(number))
        case (.double, .int(let number)), (.float, .int(let number)): self = .binding(.integer(number))
        case (.integer, .double(let number)), (.double, .double(let number)), (.float, .double(let number)):
            self = number.isNaN ? .notANumber : .binding(.double(number))
        case (.boolean, .bool(let flag)): self = .binding(.integer(flag ? 1 : 0))
        case (.date, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            self = seconds.isNaN ? .notANumber : .binding(.double(seconds))
        case (.string, .string(let text)), (.uri, .string(let text)): self = .binding(.text(text))
        case (.uri, .url(let url)): self = .binding(.text(url.absoluteString))
        case (.uuid, .uuid(let uuid)): self = unsafe .binding(.blob(withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }))
        case (.binary, .data(let data)), (.transformable, .data(let data)): self = .binding(.blob(Array(data)))
        default: return nil
        }
    }
}
