/// The escaping of text in the file, which preserves every text byte by byte.
///
/// Core Data writes `<`, `>` and `&` as `\u` and the UTF-16 unit with its bytes swapped, in lower-case hexadecimal:
/// `\u3c00`. The same escape is used here for characters that XML cannot contain or would change: control characters,
/// CR, U+FFFE, U+FFFF; and for a backslash that would otherwise begin an escape.
enum TextEscape {
    enum Context: UInt8 {
        case content = 1
        /// In the quotes of a tag's attribute.
        case tag = 2
        /// In the metadata, where `<`, `>` and `&` are XML's own entities.
        case metadata = 4
    }

    private static let hex: StaticString = "0123456789abcdef"
    private static let backslash = UInt8(ascii: "\\")

    /// For every byte the contexts that may need an escape; 8 for bytes outside ASCII.
    private static let classes: [UInt8] = (0..<256).map { byte in
        switch UInt8(byte) {
        case 9, 10: Context.tag.rawValue
        case 0..<32, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), backslash: 7
        case UInt8(ascii: "\""): Context.tag.rawValue
        case 128...: 8
        default: 0
        }
    }

    /// Appends a text, escaped; false for malformed UTF-8, whose appended bytes are invalid.
    static func append(_ text: UnsafeRawBufferPointer, for context: Context, to out: inout ByteBuffer) -> Bool {
        guard let base = unsafe text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        let end = text.count
        let mask = context.rawValue | 8
        var plain = 0
        var index = 0
        return unsafe classes.withUnsafeBufferPointer { classes in
            while index < end {
                let byte = unsafe base[index]
                if unsafe classes[Int(byte)] & mask == 0 {
                    index &+= 1
                    continue
                }
                if byte >= 128 {
                    let length = unsafe UTF8Sequence.length(base, index, end)
                    if length == 0 { return false }
                    // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
                    if byte == 0xEF, unsafe base[index + 1] == 0xBF, unsafe base[index + 2] >= 0xBE {
                        unsafe out.append(base + plain, index - plain)
                        unsafe append(unit: 0xFF40 | UInt16(base[index + 2]), to: &out)
                        plain = index + 3
                    }
                    index += length
                    continue
                }
                if byte == backslash, unsafe index + 1 == end || base[index + 1] != UInt8(ascii: "u") {
                    index += 1
                    continue
                }
                unsafe out.append(base + plain, index - plain)
                appendSpecial(byte, context, to: &out)
                index += 1
                plain = index
            }
            unsafe out.append(base + plain, end - plain)
            return true
        }
    }

    /// Appends a text, escaped; a string is UTF-8, so that this cannot fail.
    static func append(_ text: String, for context: Context, to out: inout ByteBuffer) {
        var text = text
        text.withUTF8 { _ = unsafe append(UnsafeRawBufferPointer($0), for: context, to: &out) }
    }

    private static func appendSpecial(_ byte: UInt8, _ context: Context, to out: inout ByteBuffer) {
        if context == .metadata {
            switch byte {
            case UInt8(ascii: "<"): return out.append("&lt;")
            case UInt8(ascii: ">"): return out.append("&gt;")
            case UInt8(ascii: "&"): return out.append("&amp;")
            default: break
            }
        }
        append(unit: UInt16(byte), to: &out)
    }

    private static func append(unit: UInt16, to out: inout ByteBuffer) {
        out.append("\\u")
        for shift in [4, 0, 12, 8] as [UInt16] { unsafe out.append(hex.utf8Start[Int(unit >> shift & 15)]) }
    }

    /// Appends the unescaped text; false for half of a surrogate pair.
    static func appendDecoded(_ text: UnsafeRawBufferPointer, to out: inout ByteBuffer) -> Bool {
        guard let base = unsafe text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        let end = text.count
        var plain = 0
        var index = 0
        while index < end {
            guard unsafe base[index] == backslash, let unit = unsafe unit(base, index, end) else {
                index += 1
                continue
            }
            unsafe out.append(base + plain, index - plain)
            index += 6
            var scalar = UInt32(unit)
            if UTF16.isLeadSurrogate(unit) {
                guard index < end, let trail = unsafe self.unit(base, index, end), UTF16.isTrailSurrogate(trail) else { return false }
                scalar = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
                index += 6
            }
            guard let scalar = Unicode.Scalar(scalar) else { return false }
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { out.append(byte) }
            plain = index
        }
        unsafe out.append(base + plain, end - plain)
        return true
    }

    /// Returns the unescaped text; `nil` for half of a surrogate pair.
    static func decoded(_ text: UnsafeRawBufferPointer) -> String? {
        var buffer = ByteBuffer()
        return unsafe appendDecoded(text, to: &buffer) ? String(decoding: buffer.bytes, as: UTF8.self) : nil
    }

    /// Returns the UTF-16 unit of `\uXXYY` at an index, `nil` for anything else.
    private static func unit(_ base: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> UInt16? {
        guard index + 6 <= end, unsafe base[index] == backslash, unsafe base[index + 1] == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            guard let digit = unsafe Character(Unicode.Scalar(base[index + offset])).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit.byteSwapped
    }
}

/// The well-formed byte sequences of UTF-8.
enum UTF8Sequence {
    /// Returns the length of the sequence at an index, 0 for a malformed one.
    static func length(_ base: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> Int {
        func follows(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            unsafe index + offset < end && range.contains(base[index + offset])
        }
        switch unsafe base[index] {
        case 0..<0x80: return 1
        case 0xC2...0xDF: return follows(1) ? 2 : 0
        case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : 0
        case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : 0
        case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : 0
        case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : 0
        case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : 0
        case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : 0
        default: return 0
        }
    }
}
