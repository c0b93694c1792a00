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
    /// Several values at once, for a function of this program's.
    case set(BindingSet)
}

extension SQLText {
    /// Adds the default of a column, where SQL takes no parameter: a number, or a text without a NUL.
    mutating func add(default value: SQLBinding) {
        add(" DEFAULT ")
        add(literal: value)
    }

    /// Adds a value where SQL takes no parameter: a number, or a text without a NUL.
    mutating func add(literal value: SQLBinding) {
        switch value {
        case .integer(let number): add(number: number)
        case .double(let number): add(number: number)
        case .text(let string): add(literal: string)
        default: add("NULL")
        }
    }
}
