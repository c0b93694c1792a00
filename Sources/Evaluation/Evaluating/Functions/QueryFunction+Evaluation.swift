import StrataText

extension QueryFunction {
    /// Returns what the function computes of its arguments; nil where their number does not fit, NaN for a sum beyond the range of decimals.
    ///
    /// Do not call it for `random`, `randomBelow` and `now`, whose value differs from call to call.
    public func value(of arguments: [Value]) -> Value {
        if let unary, arguments.count == 1 { return unary(arguments[0]) }
        if let binary, let first = arguments.first, arguments.count > 1, takes(arguments.count) {
            return arguments.dropFirst().reduce(first, binary)
        }
        let list = arguments.flatMap { if case .list(let values) = $0 { values } else { [$0] } }
        return (try? value(ofList: list)) ?? .decimal(.nan)
    }

    /// The implementation for one argument; `nil` for functions of another number of arguments.
    ///
    /// It returns nil for nil, and for unsupported kinds of values.
    public var unary: ((Value) -> Value)? {
        switch self {
        case .negate: Arithmetic.negate
        case .abs: Arithmetic.abs
        case .squareRoot: Arithmetic.squareRoot
        case .log: Arithmetic.decadicLogarithm
        case .ln: Arithmetic.naturalLogarithm
        case .exp: Arithmetic.exponential
        case .floor: Rounding.floor
        case .ceiling: Rounding.ceiling
        case .trunc: Rounding.trunc
        case .onesComplement: { value in value.integer.map { .int(~$0) } ?? .null }
        case .uppercase: { value in value.text.map { .string($0.uppercased()) } ?? .null }
        case .lowercase: { value in value.text.map { .string($0.lowercased()) } ?? .null }
        case .canonical:
            { value in value.text.map { .string(TextFolding.fold($0, [.caseInsensitive, .diacriticInsensitive])) } ?? .null }
        // Scalars, as SQL counts: a letter with a combining accent is two.
        case .length: { value in value.text.map { .int(Int64($0.unicodeScalars.count)) } ?? .null }
        case .characterCount: { value in value.text.map { .int(Int64($0.count)) } ?? .null }
        case .noIndex: { $0 }
        case .randomBelow:
            { value in value.integer.flatMap { $0 > 0 ? .some(.int(Int64.random(in: 0..<$0))) : .none } ?? .null }
        default: nil
        }
    }

    /// The implementation for two arguments; `nil` for functions of another number of arguments.
    public var binary: ((Value, Value) -> Value)? {
        switch self {
        case .add: Arithmetic.add
        case .subtract: Arithmetic.subtract
        case .multiply: Arithmetic.multiply
        case .divide: Arithmetic.divide
        case .modulus: Arithmetic.modulus
        case .raise: Arithmetic.raise
        case .bitwiseAnd: QueryFunction.bitwise(&)
        case .bitwiseOr: QueryFunction.bitwise(|)
        case .bitwiseXor: QueryFunction.bitwise(^)
        // Swift's shifts are defined for every count: beyond the width the result is 0 or -1, below zero they are
        // reversed.
        case .leftShift: QueryFunction.bitwise(<<)
        case .rightShift: QueryFunction.bitwise(>>)
        case .distance: Geography.distance
        case .cast: { value, type in type.text.flatMap(Cast.init)?.apply(value) ?? .null }
        case .indexedBy: { value, _ in value }
        case .objectAt: QueryFunction.element
        default: datePart.map { part in { date, zone in zone.text.flatMap(ZoneRules.named).map { part.value(of: date, in: $0) } ?? .null } }
        }
    }

    /// Returns the function's value for any number of values; nil for other functions.
    ///
    /// - Throws: `QueryError` with `overflow` for a sum beyond the range of decimals.
    func value(ofList values: [Value]) throws(QueryError) -> Value {
        if let aggregate = AggregateFunction(self) {
            var partial = AggregatePartial()
            for value in values { partial.add(value, for: aggregate) }
            return try partial.value(of: aggregate)
        }
        return switch self {
        case .mode: QueryFunction.mode(values)
        case .random: values.randomElement() ?? .null
        case .joined: .list(values)
        default: .null
        }
    }

    /// Whether equal arguments always give equal values.
    var isConstant: Bool {
        switch self {
        case .random, .randomBelow, .now: false
        default: true
        }
    }

    private static func bitwise(_ operation: @escaping (Int64, Int64) -> Int64) -> (Value, Value) -> Value {
        { a, b in
            guard let a = a.integer, let b = b.integer else { return .null }
            return .int(operation(a, b))
        }
    }

    private static func element(_ list: Value, _ index: Value) -> Value {
        guard case .list(let values) = list, let index = index.integer.flatMap({ Int(exactly: $0) }), values.indices.contains(index) else {
            return .null
        }
        return values[index]
    }

    /// Returns the most frequent values, in the order of their first occurrence.
    private static func mode(_ values: [Value]) -> Value {
        var counts: [Value: Int] = [:]
        let present = values.filter { !$0.isNull }
        for value in present { counts[value.distinctKey, default: 0] += 1 }
        let greatest = counts.values.max()
        return .list(ValueList.distinct(present).filter { counts[$0.distinctKey] == greatest })
    }
}

extension DatePart {
    /// Returns the part of a date in a time zone; nil for other values, and a date that is NaN or too distant.
    func value(of date: Value, in zone: ZoneRules) -> Value {
        if case .date(let date) = date, let number = value(of: date, in: zone) { .int(number) } else { .null }
    }
}
