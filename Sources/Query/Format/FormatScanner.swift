/// A position in the bytes of a format text, with lexical reading.
struct FormatScanner {
    /// The text in UTF-8 with a trailing NUL, so that the next byte needs no test for the end.
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 1)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        self.bytes = bytes
    }

    /// The byte at the position; NUL at the end.
    var next: UInt8 { bytes[position] }

    /// The byte after the next one; NUL at the end.
    var second: UInt8 { position + 1 < bytes.count ? bytes[position + 1] : 0 }

    var isAtEnd: Bool { position == bytes.count - 1 }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func failure(_ expected: String) -> FormatFailure { FormatFailure(position, expected: expected) }

    /// Returns the position after white space.
    func skippingSpace(from start: Int) -> Int {
        var position = start
        while true {
            let byte = bytes[position]
            if byte > UInt8(ascii: " "), byte < 0x80 { return position }
            if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                position += 1
            } else if byte >= 0x80, case let (scalar, length) = scalar(at: position), scalar.properties.isWhitespace {
                position += length
            } else {
                return position
            }
        }
    }

    mutating func skipSpace() { position = skippingSpace(from: position) }

    /// Skips a sign, and space before it; returns whether there was one.
    mutating func pass(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ sign: Unicode.Scalar) throws(FormatFailure) {
        guard pass(sign) else { throw failure("\"\(sign)\"") }
    }

    /// Returns the scalar at a position, and its length; the bytes are valid UTF-8.
    private func scalar(at position: Int) -> (Unicode.Scalar, Int) {
        let lead = UInt32(bytes[position])
        let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        var code = length == 1 ? lead : lead & (0x7F >> UInt32(length))
        for index in 1..<max(length, 1) { code = code << 6 | UInt32(bytes[position + index] & 0x3F) }
        return (Unicode.Scalar(code) ?? "\u{FFFD}", length)
    }

    /// Returns the position after a name; the position itself where there is none.
    ///
    /// A name is letters of any script, digits and underscores, no digit first.
    func endOfName(from start: Int) -> Int {
        var end = start
        while true {
            let byte = bytes[end]
            if byte < 0x80 {
                let isLetter = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
                guard isLetter || byte == UInt8(ascii: "_") || (FormatScanner.isDigit(byte) && end > start) else { return end }
                end += 1
            } else {
                let (scalar, length) = scalar(at: end)
                guard end == start ? scalar.properties.isIDStart : scalar.properties.isIDContinue else { return end }
                end += length
            }
        }
    }

    func keyword(at start: Int) -> (keyword: FormatKeyword, end: Int)? {
        let end = endOfName(from: start)
        return FormatKeyword(bytes[start..<end]).map { ($0, end) }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Returns the value of a digit of any base up to 16.
    static func digit(_ byte: UInt8) -> UInt32? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt32($0) } }
}
