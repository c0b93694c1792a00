import StrataPlatform

/// Arithmetic on values.
///
/// Of integers the result is an integer, or a floating-point number on overflow; with a floating-point number a
/// floating-point number; otherwise with a decimal a decimal. Nil and non-numbers give nil; so does what has no result,
/// such as a division by zero or a root of a negative number. NaN gives NaN.
enum Arithmetic {
    static func add(_ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.date(let date), _): b.number.map { shift(date, $0.asDouble) } ?? .null
        case (_, .date(let date)): a.number.map { shift(date, $0.asDouble) } ?? .null
        default: combine(a, b, { $0.addingReportingOverflow($1) }, +, +)
        }
    }

    static func subtract(_ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.date(let a), .date(let b)): .double(a.timeIntervalSinceReferenceDate - b.timeIntervalSinceReferenceDate)
        case (.date(let date), _): b.number.map { shift(date, -$0.asDouble) } ?? .null
        default: combine(a, b, { $0.subtractingReportingOverflow($1) }, -, -)
        }
    }

    static func multiply(_ a: Value, _ b: Value) -> Value {
        combine(a, b, { $0.multipliedReportingOverflow(by: $1) }, *) { a, b in
            // Foundation traps where the exponent of a product is too small.
            a.exponent + b.exponent < -128 ? .nan : a * b
        }
    }

    static func divide(_ a: Value, _ b: Value) -> Value {
        if b.number?.isZero ?? true { return byZero(a, b) }
        return combine(a, b, { $0.dividedReportingOverflow(by: $1) }, /, /)
    }

    /// Returns the remainder, with the sign of the dividend.
    static func modulus(_ a: Value, _ b: Value) -> Value {
        if b.number?.isZero ?? true { return byZero(a, b) }
        // The only remainder that overflows on the way is that of the least integer by -1.
        return combine(a, b, { ($1 == -1 ? 0 : $0 % $1, false) }, { $0.truncatingRemainder(dividingBy: $1) }) { a, b in
            a - b * Rounding.trunc(a / b)
        }
    }

    /// Returns the result of a division by zero or nil: nil, and NaN for NaN.
    private static func byZero(_ a: Value, _ b: Value) -> Value {
        a.number?.isNaN == true && b.number != nil ? .double(.nan) : .null
    }

    static func raise(_ a: Value, _ b: Value) -> Value {
        guard let base = a.number, let exponent = b.number else { return .null }
        switch (base, exponent) {
        case (.int, .int(let exponent)) where exponent >= 0:
            if let power = power(of: a.asNumber, exponent, from: .int(1)) { return power }
        case (.decimal, .int(let exponent)) where exponent >= 0:
            if let power = power(of: a, exponent, from: .decimal(1)) { return power }
        default: break
        }
        if base.isZero, exponent.asDouble < 0 { return .null }
        return defined(pow(base.asDouble, exponent.asDouble), [base, exponent])
    }

    /// Returns a power by squaring; `nil` on overflow of the base's kind.
    private static func power(of base: Value, _ exponent: Int64, from one: Value) -> Value? {
        var (power, square, left) = (one, base, exponent)
        while left > 0 {
            if left & 1 == 1 { power = multiply(power, square) }
            left >>= 1
            if left > 0 { square = multiply(square, square) }
            if case .double = power { return nil }
        }
        return power
    }

    static func negate(_ a: Value) -> Value { subtract(.int(0), a.asNumber) }

    static func abs(_ a: Value) -> Value {
        switch a.number {
        case .int(let number): number < 0 ? negate(a) : .int(number)
        case .double(let number): .double(number.magnitude)
        case .decimal(let number): number < 0 ? .decimal(-number) : .decimal(number)
        case nil: .null
        }
    }

    static func squareRoot(_ a: Value) -> Value { floating(a) { $0.squareRoot() } }
    static func exponential(_ a: Value) -> Value { floating(a) { exp($0) } }
    static func decadicLogarithm(_ a: Value) -> Value { floating(a) { $0 > 0 ? log10($0) : .nan } }
    static func naturalLogarithm(_ a: Value) -> Value { floating(a) { $0 > 0 ? log($0) : .nan } }

    private static func combine(
        _ a: Value, _ b: Value, _ integers: (Int64, Int64) -> (Int64, Bool), _ doubles: (Double, Double) -> Double,
        _ decimals: (Decimal, Decimal) -> Decimal
    ) -> Value {
        guard let x = a.number, let y = b.number else { return .null }
        switch (x, y) {
        case (.int(let i), .int(let j)):
            let (result, overflow) = integers(i, j)
            return overflow ? .double(doubles(Double(i), Double(j))) : .int(result)
        case (.double(let i), .double(let j)): return defined(doubles(i, j), [x, y])
        case (.double, _), (_, .double): return defined(doubles(x.asDouble, y.asDouble), [x, y])
        case (.decimal(let i), .decimal(let j)): return decimal(i, j, doubles, decimals)
        case (.decimal(let i), .int(let j)): return decimal(i, Decimal(j), doubles, decimals)
        case (.int(let i), .decimal(let j)): return decimal(Decimal(i), j, doubles, decimals)
        }
    }

    private static func decimal(
        _ a: Decimal, _ b: Decimal, _ doubles: (Double, Double) -> Double, _ decimals: (Decimal, Decimal) -> Decimal
    ) -> Value {
        if a.isNaN || b.isNaN { return .decimal(.nan) }
        let result = decimals(a, b)
        if !result.isNaN { return .decimal(result) }
        return defined(doubles(Number.decimal(a).asDouble, Number.decimal(b).asDouble), [])
    }

    private static func floating(_ a: Value, _ function: (Double) -> Double) -> Value {
        guard let number = a.number else { return .null }
        return defined(function(number.asDouble), [number])
    }

    /// Returns a result; nil where it is NaN though no operand was.
    private static func defined(_ result: Double, _ operands: [Number]) -> Value {
        result.isNaN && !operands.contains(where: \.isNaN) ? .null : .double(result)
    }

    private static func shift(_ date: Date, _ seconds: Double) -> Value {
        .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + seconds))
    }
}
