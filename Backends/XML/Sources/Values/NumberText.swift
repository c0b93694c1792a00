/// The numbers in the file.
enum NumberText {
    /// Appends the shortest text of the number, without a zero fraction.
    static func append(_ number: Double, to out: inout ByteBuffer) {
        append(shortest: number.isNaN ? "nan" : number.description, to: &out)
    }

    /// Appends the shortest text of a 32-bit number.
    static func append(float number: Double, to out: inout ByteBuffer) {
        let float = Float(number)
        guard Double(float) == number else { return append(number, to: &out) }
        append(shortest: float.description, to: &out)
    }

    private static func append(shortest text: String, to out: inout ByteBuffer) {
        var text = text
        text.withUTF8 { digits in
            guard let start = digits.baseAddress else { return }
            let isWhole =
                unsafe digits.count > 2 && digits[digits.count - 1] == UInt8(ascii: "0") && digits[digits.count - 2] == UInt8(ascii: ".")
            unsafe out.append(start, digits.count - (isWhole ? 2 : 0))
        }
    }

    /// Returns the integer of a text, `nil` for other texts.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        let text = unsafe trimmed(text)
        guard let first = unsafe text.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        let start = isNegative || first == UInt8(ascii: "+") ? 1 : 0
        guard unsafe start < text.count else { return nil }
        var number: Int64 = 0
        for index in unsafe (text.startIndex + start)..<text.endIndex {
            let digit = unsafe Int64(text[index]) - 48
            guard digit >= 0, digit <= 9 else { return nil }
            let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
            let (next, carry) = shifted.subtractingReportingOverflow(digit)
            if overflow || carry { return nil }
            number = next
        }
        // Counted downward, so that the least number fits.
        if isNegative { return number }
        return number == .min ? nil : -number
    }

    /// Returns the number of a text, rounded to nearest; `nil` for other texts.
    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        let text = unsafe UnsafeRawBufferPointer(rebasing: trimmed(text))
        guard unsafe !text.isEmpty else { return nil }
        if let number = unsafe PlainDecimal(text)?.double { return number }
        return unsafe Double(String(decoding: text, as: UTF8.self))
    }

    static func trimmed(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte >= 9 && byte <= 13 }
        var start = 0
        var end = text.count
        while start < end, unsafe isBlank(text[start]) { start += 1 }
        while start < end, unsafe isBlank(text[end - 1]) { end -= 1 }
        return unsafe text[start..<end]
    }
}

/// A decimal number with few enough digits to be converted to a `Double` by integer arithmetic.
struct PlainDecimal {
    private let isNegative: Bool
    /// The number times ten to the power of `scale`.
    private let digits: UInt128
    private let scale: Int

    private static let powers: [Double] = (0...22).map { power in (0..<power).reduce(1.0) { number, _ in number * 10 } }
    private static let fivePowers: [UInt64] = (0...20).map { power in (0..<power).reduce(UInt64(1)) { number, _ in number * 5 } }

    /// Parses a number without exponent, with at most 20 decimals and fewer than 2^53 before the point.
    init?(_ text: UnsafeRawBufferPointer) {
        var index = 0
        isNegative = unsafe text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        let first = index
        var whole: UInt64 = 0
        while index < text.count, let digit = unsafe PlainDecimal.digit(text[index]) {
            whole = whole * 10 + digit
            guard whole < 1 << 53 else { return nil }
            index += 1
        }
        guard index > first else { return nil }
        guard index < text.count else {
            digits = UInt128(whole)
            scale = 0
            return
        }
        guard unsafe text[index] == UInt8(ascii: "."), text.count - index - 1 <= 20, text.count - index > 1 else { return nil }
        scale = text.count - index - 1
        var fraction = UInt128(whole)
        var pending: UInt64 = 0
        var factor: UInt64 = 1
        for following in (index + 1)..<text.count {
            guard let digit = unsafe PlainDecimal.digit(text[following]) else { return nil }
            pending = pending * 10 + digit
            factor *= 10
            if factor == 10_000_000_000 {
                fraction = fraction * UInt128(factor) + UInt128(pending)
                (pending, factor) = (0, 1)
            }
        }
        digits = fraction * UInt128(factor) + UInt128(pending)
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        let digit = byte &- 48
        return digit <= 9 ? UInt64(digit) : nil
    }

    /// The number, rounded to nearest, ties to even; `nil` if that needs integers of more than 128 bits.
    var double: Double? {
        let magnitude: Double
        if digits < 1 << 53 {
            // Both are exact, so that the quotient is rounded once.
            magnitude = Double(UInt64(digits)) / PlainDecimal.powers[scale]
        } else if let rounded {
            magnitude = rounded
        } else {
            return nil
        }
        return isNegative ? -magnitude : magnitude
    }

    private var rounded: Double? {
        // The quotient by 10^scale is that by 5^scale, shifted so that it has 55 or 56 bits.
        let divisor = PlainDecimal.fivePowers[scale]
        let bits = 128 - digits.leadingZeroBitCount
        let divisorBits = 64 - divisor.leadingZeroBitCount
        let shift = max(0, 56 - (bits - divisorBits))
        guard bits + shift <= 128 else { return nil }
        let (quotient, remainder) = (digits << UInt128(shift)).quotientAndRemainder(dividingBy: UInt128(divisor))
        let extra = 128 - quotient.leadingZeroBitCount - 53
        guard extra > 0 else { return nil }
        var significand = UInt64(quotient >> UInt128(extra))
        let rest = quotient & (1 << UInt128(extra) - 1)
        let half: UInt128 = 1 << UInt128(extra - 1)
        if rest > half || rest == half && (remainder != 0 || significand & 1 == 1) { significand += 1 }
        return Double(sign: .plus, exponent: extra - shift - scale, significand: Double(significand))
    }
}
