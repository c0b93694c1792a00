/// A number of one of the kinds that arithmetic supports.
enum Number {
    case int(Int64)
    case double(Double)
    case decimal(Decimal)

    var asDouble: Double {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    var value: Value {
        switch self {
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .decimal(let number): .decimal(number)
        }
    }

    var isZero: Bool {
        switch self {
        case .int(let number): number == 0
        case .double(let number): number == 0
        case .decimal(let number): number == 0
        }
    }

    var isNaN: Bool {
        switch self {
        case .int: false
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        }
    }
}

extension Value {
    /// The number; 0 and 1 for truth values, `nil` for other kinds.
    var number: Number? {
        switch self {
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .decimal(let number): .decimal(number)
        case .bool(let flag): .int(flag ? 1 : 0)
        default: nil
        }
    }

    /// The value with a number instead of a truth value.
    var asNumber: Value { number?.value ?? .null }

    var integer: Int64? {
        switch number {
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): number.wholeNumber
        case nil: nil
        }
    }
}
