import StrataModel

extension FormatScanner {
    /// Returns whether a number begins at a position: a digit, or a point before one.
    func isNumber(at position: Int) -> Bool {
        let byte = bytes[position]
        return FormatScanner.isDigit(byte) || byte == UInt8(ascii: ".") && FormatScanner.isDigit(bytes[position + 1])
    }

    /// Reads a number: decimal, with fraction or exponent, `0x`, `0o` or `0b`.
    ///
    /// Without fraction and exponent it is an integer, or a decimal number where 64 bits overflow.
    mutating func number(isNegative: Bool) throws(FormatFailure) -> Value {
        if next == UInt8(ascii: "0") {
            switch second | 0x20 {
            case UInt8(ascii: "x"): return try number(base: 16, isNegative)
            case UInt8(ascii: "o"): return try number(base: 8, isNegative)
            case UInt8(ascii: "b"): return try number(base: 2, isNegative)
            default: break
            }
        }
        let start = position
        skipDigits()
        var isWhole = true
        if next == UInt8(ascii: "."), FormatScanner.isDigit(second) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if next | 0x20 == UInt8(ascii: "e") {
            var digits = position + 1
            if bytes[digits] == UInt8(ascii: "+") || bytes[digits] == UInt8(ascii: "-") { digits += 1 }
            if FormatScanner.isDigit(bytes[digits]) {
                isWhole = false
                position = digits
                skipDigits()
            }
        }
        let digits = (isNegative ? "-" : "") + text(start..<position)
        if isWhole, let whole = Int64(digits) { return .int(whole) }
        if isWhole, digits.utf8.count <= 38, let number = Decimal(string: digits) { return .decimal(number) }
        guard let number = Double(digits), number.isFinite else {
            throw FormatFailure(start, expected: "a number within the range of floating-point numbers")
        }
        return .double(number)
    }

    private mutating func skipDigits() { while FormatScanner.isDigit(next) { position += 1 } }

    private mutating func number(base: Int, _ isNegative: Bool) throws(FormatFailure) -> Value {
        let start = position
        position += 2
        let digits = position
        while let digit = FormatScanner.digit(next), digit < base { position += 1 }
        if position == digits { throw failure("a digit of base \(base)") }
        guard let value = UInt64(text(digits..<position), radix: base) else {
            throw FormatFailure(start, expected: "a number of at most 64 bits")
        }
        if let value = Int64(exactly: value) { return .int(isNegative ? -value : value) }
        return value == 1 << 63 && isNegative ? .int(.min) : .decimal(isNegative ? -Decimal(value) : Decimal(value))
    }
}
