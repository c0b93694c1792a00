/// Base64 in lines of 76 columns.
enum Base64 {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    private static let bytesPerLine = 57

    /// For every byte its six bits; 64 for white space, 65 for `=`, 255 for other bytes.
    private static let values: [UInt8] = (0..<256).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(byte) - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(byte) - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(byte) - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case 9, 10, 13, 32: 64
        case UInt8(ascii: "="): 65
        default: 255
        }
    }

    /// Appends bytes as base64, every line with `prefix` before it and a line feed after it.
    static func append(_ bytes: UnsafeRawBufferPointer, prefix: StaticString = "", to out: inout ByteBuffer) {
        let digits = unsafe alphabet.utf8Start
        var index = 0
        while index < bytes.count {
            out.append(prefix)
            let end = min(index + bytesPerLine, bytes.count)
            while index + 3 <= end {
                let word = unsafe UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                unsafe out.append(digits[Int(word >> 18)])
                unsafe out.append(digits[Int(word >> 12 & 63)])
                unsafe out.append(digits[Int(word >> 6 & 63)])
                unsafe out.append(digits[Int(word & 63)])
                index += 3
            }
            if index < end {
                let isPair = end - index == 2
                let word = unsafe UInt32(bytes[index]) << 16 | (isPair ? UInt32(bytes[index + 1]) << 8 : 0)
                unsafe out.append(digits[Int(word >> 18)])
                unsafe out.append(digits[Int(word >> 12 & 63)])
                unsafe out.append(isPair ? digits[Int(word >> 6 & 63)] : UInt8(ascii: "="))
                out.append(UInt8(ascii: "="))
                index = end
            }
            out.append(UInt8(ascii: "\n"))
        }
    }

    /// Appends the bytes of a base64 text, with white space anywhere; false for a malformed text.
    static func appendDecoded(_ text: UnsafeRawBufferPointer, to out: inout ByteBuffer) -> Bool {
        var word: UInt32 = 0
        var digits = 0
        var padding = 0
        return unsafe values.withUnsafeBufferPointer { values in
            for index in text.indices {
                let value = unsafe values[Int(text[index])]
                if value == 64 { continue }
                if value == 65 {
                    padding += 1
                    continue
                }
                if value > 65 || padding > 0 { return false }
                word = word << 6 | UInt32(value)
                digits += 1
                if digits == 4 {
                    out.append(UInt8(truncatingIfNeeded: word >> 16))
                    out.append(UInt8(truncatingIfNeeded: word >> 8))
                    out.append(UInt8(truncatingIfNeeded: word))
                    digits = 0
                    word = 0
                }
            }
            // Unused bits are zero, so that a value has one text.
            switch (digits, padding) {
            case (0, 0): return true
            case (2, 2):
                out.append(UInt8(truncatingIfNeeded: word >> 4))
                return word & 15 == 0
            case (3, 1):
                out.append(UInt8(truncatingIfNeeded: word >> 10))
                out.append(UInt8(truncatingIfNeeded: word >> 2))
                return word & 3 == 0
            default: return false
            }
        }
    }
}
