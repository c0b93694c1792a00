public import StrataText

/// A decimal number as an integer and an exponent: `±magnitude · 10^exponent`.
///
/// Reading one from the text of a row takes no memory and a fraction of the time that `Decimal` takes, so that rows are compared and added
/// up where they lie.
@frozen
public struct DecimalNumber: Sendable {
    /// The digits, as an integer.
    public var magnitude: UInt128
    /// The power of ten that the digits are multiplied by.
    public var exponent: Int
    /// Whether the number is below zero.
    public var isNegative: Bool
    /// Whether this is no number.
    public var isNaN = false

    /// Creates a number from its parts.
    @inlinable
    public init(magnitude: UInt128, exponent: Int, isNegative: Bool) {
        self.magnitude = magnitude
        self.exponent = exponent
        self.isNegative = isNegative
    }

    /// Creates a number from an integer and an exponent.
    @inlinable
    public init(_ number: Int64, exponent: Int = 0) {
        self.init(magnitude: UInt128(number.magnitude), exponent: exponent, isNegative: number < 0)
    }

    /// Creates the number of a value; `nil` where it is no decimal and no integer.
    public init?(_ value: Value) {
        switch value {
        case .int(let number): self.init(number)
        case .decimal(let number):
            var text = DecimalText.text(number)
            guard let parsed = text.withUTF8({ unsafe DecimalNumber(UnsafeRawBufferPointer($0)) }) else { return nil }
            self = parsed
        default: return nil
        }
    }

    /// NaN.
    public static var nan: DecimalNumber {
        var number = DecimalNumber(magnitude: 0, exponent: 0, isNegative: false)
        number.isNaN = true
        return number
    }

    /// Reads the text of a decimal in a row: digits with a sign and a point, or `NaN`.
    ///
    /// - Returns: `nil` where the text is malformed, or has more digits than a decimal keeps.
    public init?(_ text: UnsafeRawBufferPointer) {
        if unsafe text.elementsEqual("NaN".utf8) {
            self = .nan
            return
        }
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        var (index, isFraction, exponent, digits) = (isNegative ? 1 : 0, false, 0, 0)
        // Zeros count once a digit follows, as 1e127 has more than 39 of them.
        var (short, long, zeros) = (UInt64(0), UInt128(0), 0)
        let isShort = text.count <= 18
        while index < text.count {
            let byte = unsafe text[index]
            index += 1
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            digits += 1
            if isFraction { exponent -= 1 }
            if isShort {
                short = short &* 10 &+ UInt64(digit)
            } else if digit == 0 {
                zeros += 1
            } else {
                guard long == 0 || DecimalNumber.append(zeros + 1, digits: UInt128(digit), to: &long) else { return nil }
                if long == 0 { long = UInt128(digit) }
                zeros = 0
            }
        }
        if digits == 0 { return nil }
        self.init(magnitude: isShort ? UInt128(short) : long, exponent: exponent + zeros, isNegative: isNegative)
    }

    private static func append(_ count: Int, digits: UInt128, to number: inout UInt128) -> Bool {
        guard let power = powerOfTen(count) else { return false }
        let (product, overflow) = number.multipliedReportingOverflow(by: power)
        let (sum, carry) = product.addingReportingOverflow(digits)
        number = sum
        return !overflow && !carry
    }

    /// Returns a power of ten; `nil` where 128 bits do not hold it.
    @inlinable
    public static func powerOfTen(_ exponent: Int) -> UInt128? {
        guard (0...38).contains(exponent) else { return nil }
        var (power, left) = (UInt128(1), exponent)
        while left >= 18 {
            power *= 1_000_000_000_000_000_000
            left -= 18
        }
        var small: UInt64 = 1
        for _ in 0..<left { small &*= 10 }
        return power * UInt128(small)
    }

    /// The nearest floating-point number; `nil` where only the digits' text gives it.
    public var nearestDouble: Double? {
        guard !isNaN, magnitude <= 1 << 53, (-22...22).contains(exponent) else { return nil }
        let digits = Double(UInt64(truncatingIfNeeded: magnitude)) * (isNegative ? -1 : 1)
        return unsafe exponent < 0 ? digits / DecimalNumber.powersOfTen[-exponent] : digits * DecimalNumber.powersOfTen[exponent]
    }

    /// The number as `Decimal`; NaN beyond its range.
    public var decimal: Decimal {
        isNaN ? .nan : Decimal(string: "\(isNegative && magnitude != 0 ? "-" : "")\(magnitude)e\(exponent)") ?? .nan
    }

    /// Orders two numbers exactly; `unordered` with NaN.
    public func compare(_ other: DecimalNumber) -> Ordering {
        if isNaN || other.isNaN { return .unordered }
        if magnitude == 0 || other.magnitude == 0 || isNegative != other.isNegative { return Ordering(sign, other.sign) }
        let ordering = compareMagnitudes(other)
        return isNegative ? ordering.reversed : ordering
    }

    /// Orders two numbers as sorting does: NaN after all others.
    public func sortOrder(_ other: DecimalNumber) -> Ordering {
        isNaN || other.isNaN ? Ordering(isNaN ? 1 : 0, other.isNaN ? 1 : 0) : compare(other)
    }

    private var sign: Int { magnitude == 0 ? 0 : isNegative ? -1 : 1 }

    private func compareMagnitudes(_ other: DecimalNumber) -> Ordering {
        if exponent == other.exponent { return Ordering(magnitude, other.magnitude) }
        if exponent < other.exponent { return other.compareMagnitudes(self).reversed }
        guard let power = DecimalNumber.powerOfTen(exponent - other.exponent) else { return .greater }
        let (aligned, overflow) = magnitude.multipliedReportingOverflow(by: power)
        return overflow ? .greater : Ordering(aligned, other.magnitude)
    }
}

extension Row {
    /// Returns the content of a decimal slot; `nil` when it holds no value.
    public func decimal(_ slot: Slot) -> DecimalNumber? { unsafe bytes(slot).flatMap { unsafe DecimalNumber($0) } }
}

extension DecimalNumber {
    /// Creates the number that a floating-point number of at most 15 significant digits is nearest to.
    ///
    /// - Parameters:
    ///   - number: The floating-point number.
    ///   - scale: The number of decimals that is tried first.
    /// - Returns: `nil` where no such number with at most 22 decimals is found.
    @inlinable
    public init?(nearestTo number: Double, scale: Int = 0) {
        if let digits = DecimalNumber.digits(of: number, scale: scale) {
            self.init(digits, exponent: -scale)
            return
        }
        for scale in 0...22 {
            guard let digits = DecimalNumber.digits(of: number, scale: scale) else { continue }
            self.init(digits, exponent: -scale)
            return
        }
        return nil
    }

    /// Returns the digits of a number with some decimals.
    // A quotient of integers that a double holds is the nearest double to it, and two numbers of at most 15 digits have different ones.
    @inlinable
    static func digits(of number: Double, scale: Int) -> Int64? {
        guard (0...22).contains(scale) else { return nil }
        let power = unsafe powersOfTen[scale]
        let product = number * power
        guard product.magnitude < 1e15 else { return nil }
        let digits = Int64(product < 0 ? product - 0.5 : product + 0.5)
        return digits.magnitude < 1_000_000_000_000_000 && Double(digits) / power == number ? digits : nil
    }

    /// The powers of ten that floating-point numbers hold exactly; never freed.
    @usableFromInline
    nonisolated(unsafe) static let powersOfTen: UnsafePointer<Double> = {
        let powers = UnsafeMutablePointer<Double>.allocate(capacity: 23)
        var power = 1.0
        for exponent in 0..<23 {
            unsafe (powers + exponent).initialize(to: power)
            power *= 10
        }
        return unsafe UnsafePointer(powers)
    }()
}
