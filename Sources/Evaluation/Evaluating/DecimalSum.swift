/// An exact sum of decimals.
///
/// Numbers of similar exponents are added as integers of 128 bits. What does not fit is added in parts of 18 digits, of which no carry is
/// made until the result is asked for, so that the sum does not depend on the order. The result is rounded once.
@frozen
public struct DecimalSum: Sendable {
    /// The sum besides ``parts``, as an integer with ``scale`` decimals.
    @usableFromInline var digits: Int128 = 0
    @usableFromInline var scale = 0
    /// Parts of 18 digits, the first of 10^-144; empty unless they are needed.
    private var parts: [Int128] = []
    @usableFromInline var isNaN = false

    private static let partDigits = 18
    private static let base: Int128 = 1_000_000_000_000_000_000
    private static let lowestExponent = -144
    /// Enough for 2^63 of the greatest decimals.
    private static let partCount = 20

    /// Creates the sum of nothing.
    public init() {}

    // MARK: - Adding

    /// Adds a number; a NaN makes the sum NaN.
    @inlinable
    public mutating func add(_ number: DecimalNumber) {
        if number.exponent == -scale, number.magnitude <= UInt128(Int64.max), !number.isNaN {
            let value = Int128(Int64(truncatingIfNeeded: number.magnitude))
            let (sum, overflow) = digits.addingReportingOverflow(number.isNegative ? -value : value)
            if !overflow {
                digits = sum
                return
            }
        }
        addAligned(number)
    }

    /// Adds the decimal that a floating-point number is nearest to.
    ///
    /// - Returns: False, with nothing added, where `DecimalNumber.init(nearestTo:scale:)` finds no such number.
    @inlinable
    public mutating func add(nearestTo number: Double) -> Bool {
        guard let number = DecimalNumber(nearestTo: number, scale: scale) else { return false }
        add(number)
        return true
    }

    /// Adds another sum.
    public mutating func add(_ other: DecimalSum) {
        add(DecimalNumber(magnitude: other.digits.magnitude, exponent: -other.scale, isNegative: other.digits < 0))
        if other.isNaN { isNaN = true }
        if other.parts.isEmpty { return }
        if parts.isEmpty { parts = other.parts } else { for index in parts.indices { parts[index] += other.parts[index] } }
    }

    @usableFromInline
    mutating func addAligned(_ number: DecimalNumber) {
        if number.isNaN {
            isNaN = true
            return
        }
        if number.magnitude == 0 { return }
        let shift = number.exponent + scale
        if shift < 0, let power = power(-shift) {
            let (product, overflow) = digits.multipliedReportingOverflow(by: power)
            if !overflow { (digits, scale) = (product, -number.exponent) }
        }
        if let aligned = aligned(number) {
            let (sum, overflow) = digits.addingReportingOverflow(aligned)
            if !overflow {
                digits = sum
                return
            }
        }
        put(number, in: &parts)
    }

    private func power(_ exponent: Int) -> Int128? { DecimalNumber.powerOfTen(exponent).flatMap { Int128(exactly: $0) } }

    /// Returns the digits of a number at the scale of the sum; `nil` where there are too many.
    private func aligned(_ number: DecimalNumber) -> Int128? {
        guard let power = power(number.exponent + scale), let digits = Int128(exactly: number.magnitude) else { return nil }
        let (product, overflow) = digits.multipliedReportingOverflow(by: power)
        return overflow ? nil : number.isNegative ? -product : product
    }

    private func put(_ number: DecimalNumber, in parts: inout [Int128]) {
        if parts.isEmpty { parts = Array(repeating: 0, count: DecimalSum.partCount) }
        let offset = number.exponent - DecimalSum.lowestExponent
        guard offset >= 0, let power = power(offset % DecimalSum.partDigits) else { return }
        var (index, left) = (offset / DecimalSum.partDigits, number.magnitude)
        let base = UInt128(DecimalSum.base)
        while left > 0, index + 1 < parts.count {
            let shifted = Int128(left % base) * power
            left /= base
            let (low, high) = (shifted % DecimalSum.base, shifted / DecimalSum.base)
            parts[index] += number.isNegative ? -low : low
            parts[index + 1] += number.isNegative ? -high : high
            index += 1
        }
    }

    /// Creates the sum that a text spells, with any number of digits; `nil` where it is no number, or out of range.
    public init?(_ text: UnsafeRawBufferPointer) {
        self.init()
        if unsafe text.elementsEqual("NaN".utf8) {
            isNaN = true
            return
        }
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        let digits = unsafe text.dropFirst(isNegative ? 1 : 0).filter { $0 != UInt8(ascii: ".") }
        let fraction = unsafe text.firstIndex(of: UInt8(ascii: ".")).map { text.count - $0 - 1 } ?? 0
        let greatest = DecimalSum.partDigits * (DecimalSum.partCount - 1) + DecimalSum.lowestExponent
        guard !digits.isEmpty, fraction <= -DecimalSum.lowestExponent, digits.count - fraction <= greatest else { return nil }
        var end = digits.count
        while end > 0 {
            let start = max(0, end - DecimalSum.partDigits)
            guard let part = UInt64(String(decoding: digits[start..<end], as: UTF8.self)) else { return nil }
            add(DecimalNumber(magnitude: UInt128(part), exponent: digits.count - end - fraction, isNegative: isNegative))
            end = start
        }
    }

    // MARK: - Results

    /// The sum, rounded to 38 significant digits where it has more; `nil` beyond the range of decimals.
    public var decimal: Decimal? { quotient(by: 1) }

    /// Returns the sum divided by a count above 0, rounded to 38 significant digits; `nil` beyond the range of decimals.
    public func quotient(by count: Int) -> Decimal? {
        if isNaN { return .nan }
        if count == 1, parts.isEmpty {
            let number = DecimalNumber(magnitude: digits.magnitude, exponent: -scale, isNegative: digits < 0).decimal
            if !number.isNaN, digits.magnitude < 1_000_000_000_000_000_000_000_000_000_000_000_000 { return number }
        }
        var parts = parts
        put(DecimalNumber(magnitude: digits.magnitude, exponent: -scale, isNegative: digits < 0), in: &parts)
        let isNegative = DecimalSum.carry(&parts)
        var remainder: Int128 = 0
        var text: [UInt8] = []
        for part in parts.reversed() {
            let dividend = remainder * DecimalSum.base + part
            let quotient = dividend / Int128(count)
            remainder = dividend - quotient * Int128(count)
            let digits = String(quotient).utf8
            text += repeatElement(UInt8(ascii: "0"), count: max(0, DecimalSum.partDigits - digits.count))
            text += digits
        }
        return DecimalSum.rounded(text, isNegative: isNegative)
    }

    /// Makes each part a number of 18 digits.
    ///
    /// - Returns: Whether the sum is negative; the parts are those of its magnitude.
    private static func carry(_ parts: inout [Int128]) -> Bool {
        func carryAll() -> Int128 {
            var carry: Int128 = 0
            for index in parts.indices {
                let sum = parts[index] + carry
                let part = ((sum % base) + base) % base
                carry = (sum - part) / base
                parts[index] = part
            }
            return carry
        }
        if carryAll() >= 0 { return false }
        // What is left is the complement of the magnitude.
        for index in parts.indices { parts[index] = -parts[index] }
        _ = carryAll()
        return true
    }

    /// Returns the number of some digits, the last of which is that of 10^-144.
    private static func rounded(_ text: [UInt8], isNegative: Bool) -> Decimal? {
        let zero = UInt8(ascii: "0")
        var digits = Array(text.drop { $0 == zero })
        var exponent = lowestExponent
        func dropZeros() {
            while digits.last == zero {
                digits.removeLast()
                exponent += 1
            }
        }
        func magnitude() -> UInt128? { UInt128(String(decoding: digits, as: UTF8.self)) }
        dropZeros()
        let excess = max(digits.count <= 39 && magnitude() != nil ? 0 : digits.count - 38, -128 - exponent)
        if excess > 0, !digits.isEmpty {
            let roundsUp = digits.count >= excess && digits[digits.count - excess] >= zero + 5
            digits.removeLast(min(excess, digits.count))
            exponent += excess
            if roundsUp {
                var index = digits.count - 1
                while index >= 0, digits[index] == zero + 9 {
                    digits[index] = zero
                    index -= 1
                }
                if index >= 0 { digits[index] += 1 } else { digits.insert(zero + 1, at: 0) }
            }
            dropZeros()
        }
        if digits.isEmpty { return 0 }
        while exponent > 127, digits.count < 39 {
            digits.append(zero)
            exponent -= 1
        }
        guard exponent <= 127, let magnitude = magnitude() else { return nil }
        let number = DecimalNumber(magnitude: magnitude, exponent: exponent, isNegative: isNegative).decimal
        return number.isNaN ? nil : number
    }
}
