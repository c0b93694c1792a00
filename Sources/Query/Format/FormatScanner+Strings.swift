extension FormatScanner {
    /// Reads a text in quotes, single or double.
    mutating func string() throws(FormatFailure) -> String {
        let start = position
        let quote = next
        position += 1
        var result = ""
        var copied = position
        while true {
            switch next {
            case quote:
                let tail = text(copied..<position)
                position += 1
                return result.isEmpty ? tail : result + tail
            case UInt8(ascii: "\\"):
                result += text(copied..<position)
                result.unicodeScalars.append(try escape())
                copied = position
            case 0 where isAtEnd:
                throw FormatFailure(position, expected: "a closing \(Character(Unicode.Scalar(quote))) for the text at \(start)")
            default: position += 1
            }
        }
    }

    /// Reads an escape: `\n`, `\r`, `\t`, `\\`, `\'`, `\"`, `\ooo` (octal), `\xhh`, `\uhhhh` (two of a surrogate pair).
    private mutating func escape() throws(FormatFailure) -> Unicode.Scalar {
        let start = position
        position += 1
        let byte = next
        switch byte {
        case UInt8(ascii: "n"): return simpleEscape("\n")
        case UInt8(ascii: "r"): return simpleEscape("\r")
        case UInt8(ascii: "t"): return simpleEscape("\t")
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): return simpleEscape(Unicode.Scalar(byte))
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var code: UInt32 = 0
            for _ in 0..<3 {
                guard let digit = FormatScanner.digit(next), digit < 8 else { break }
                code = code << 3 | digit
                position += 1
            }
            return try scalar(code, start)
        case UInt8(ascii: "x"): return try scalar(try hexadecimal(2), start)
        case UInt8(ascii: "u"):
            let unit = try hexadecimal(4)
            guard (0xD800..<0xDC00).contains(unit), next == UInt8(ascii: "\\"), second == UInt8(ascii: "u") else {
                return try scalar(unit, start)
            }
            position += 1
            let low = try hexadecimal(4)
            guard (0xDC00..<0xE000).contains(low) else { throw FormatFailure(start, expected: "a pair of surrogates") }
            return try scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), start)
        default:
            // Ignoring the backslash, as C does, would silently change regular expressions.
            throw FormatFailure(start, expected: #"an escape (\n, \r, \t, \\, \', \", \ooo, \xhh, \uhhhh)"#)
        }
    }

    private mutating func simpleEscape(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        position += 1
        return scalar
    }

    /// Skips a letter and reads hexadecimal digits.
    private mutating func hexadecimal(_ count: Int) throws(FormatFailure) -> UInt32 {
        position += 1
        var code: UInt32 = 0
        for _ in 0..<count {
            guard let digit = FormatScanner.digit(next) else { throw failure("\(count) hexadecimal digits") }
            code = code << 4 | digit
            position += 1
        }
        return code
    }

    private func scalar(_ code: UInt32, _ start: Int) throws(FormatFailure) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(code) else { throw FormatFailure(start, expected: "an escape that stands for a character") }
        return scalar
    }
}
