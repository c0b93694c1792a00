import StrataModel

/// Converts the text of decimals in rows to the server's binary format, and the server's text to that of rows.
enum NumericText {
    private static let (positive, negative, nan): (UInt16, UInt16, UInt16) = (0, 0x4000, 0xC000)

    /// Returns the binary form: the number of digits to the base 10,000, the weight of the first, the sign, the number of decimals, the
    /// digits.
    ///
    /// - Returns: `nil` where the text is not a number.
    static func binary(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        if unsafe text.elementsEqual("NaN".utf8) { return form([], weight: 0, sign: nan, scale: 0) }
        var digits: [UInt8] = []
        var decimals = 0
        var (isFraction, isNegative) = (false, false)
        for index in text.indices {
            let byte = unsafe text[index]
            switch byte {
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte - UInt8(ascii: "0"))
                if isFraction { decimals += 1 }
            default: return nil
            }
        }
        if digits.isEmpty { return nil }
        // Groups of four digits are aligned with the decimal point.
        let whole = digits.count - decimals
        let leading = (4 - whole % 4) % 4
        digits.insert(contentsOf: repeatElement(0, count: leading), at: 0)
        digits.append(contentsOf: repeatElement(0, count: (4 - digits.count % 4) % 4))
        var groups = stride(from: 0, to: digits.count, by: 4).map { start in
            digits[start..<(start + 4)].reduce(UInt16(0)) { $0 * 10 + UInt16($1) }
        }
        var weight = (whole + leading) / 4 - 1
        while groups.first == 0 {
            groups.removeFirst()
            weight -= 1
        }
        while groups.last == 0 { groups.removeLast() }
        if groups.isEmpty { return form([], weight: 0, sign: positive, scale: 0) }
        return form(groups, weight: weight, sign: isNegative ? negative : positive, scale: decimals)
    }

    private static func form(_ groups: [UInt16], weight: Int, sign: UInt16, scale: Int) -> [UInt8] {
        var buffer = BinaryBuffer()
        buffer.put(UInt16(truncatingIfNeeded: groups.count))
        buffer.put(Int16(truncatingIfNeeded: weight))
        buffer.put(sign)
        buffer.put(UInt16(truncatingIfNeeded: scale))
        for group in groups { buffer.put(group) }
        return buffer.bytes
    }

    /// Returns whether a decimal attribute can have the number: an infinity, or one of too many digits, is none.
    static func isDecimal(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.count < 32, let last = unsafe text.last, last <= UInt8(ascii: "9") { return true }
        return unsafe DecimalText.decimal(String(decoding: text, as: UTF8.self)) != nil
    }

    /// Returns the text without trailing zeros, which another program may have written.
    static func shortest(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard unsafe text.contains(UInt8(ascii: ".")) else { return unsafe text }
        var end = text.count
        while unsafe end > 0 && text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        if unsafe end > 0 && text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: text[..<end])
    }
}
