import StrataEngine

/// Encodes values so that their bytes sort as the values do: nil first, then by magnitude, text by its bytes.
///
/// An element is a tag, 0 for nil or 1, and for a value its bytes; a descending element has all of its bits inverted.
struct KeyEncoder {
    /// The maximum length in bytes of a key in LMDB.
    static let greatestLength = 511
    /// The length of the part of a longer key before its digest.
    static let cutLength = 495
    static let valueTag: UInt8 = 1

    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(64) }

    /// Returns whether a key in a file was cut.
    static func isCut(_ length: Int) -> Bool { length == greatestLength }

    /// Encodes the key of a row; false if an element is nil in a unique index.
    mutating func encode(_ row: Row, _ elements: [IndexDescription.Element], isUnique: Bool) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        for element in elements {
            if isUnique && row.isNull(element.slot) { return false }
            append(row, element)
        }
        cut()
        return true
    }

    mutating func append(_ row: Row, _ element: IndexDescription.Element) {
        let start = bytes.count
        if row.isNull(element.slot) {
            bytes.append(0)
        } else {
            bytes.append(KeyEncoder.valueTag)
            switch element.kind {
            case .integer, .boolean, .reference, .entity, .order: append(Int64(bitPattern: row.rawWord(element.slot)))
            case .double, .float, .date: append(Double(bitPattern: row.rawWord(element.slot)))
            case .uuid: if let content = unsafe row.bytes(element.slot) { unsafe bytes.append(contentsOf: content) }
            case .string, .uri, .binary, .transformable: if let content = unsafe row.bytes(element.slot) { unsafe appendEscaped(content) }
            case .decimal: if let content = unsafe row.bytes(element.slot) { unsafe appendDecimal(content) }
            }
        }
        if !element.isAscending { KeyEncoder.invert(&bytes, from: start) }
    }

    /// Returns the bytes of a key as an ascending element.
    static func bytes(of key: IndexKey, _ kind: SlotKind?) -> [UInt8] {
        switch key {
        case .null: return [0]
        case .word(let word):
            return unsafe Array(unsafeUninitializedCapacity: 9) { bytes, count in
                unsafe bytes[0] = valueTag
                for index in 1...8 { unsafe bytes[index] = UInt8(truncatingIfNeeded: word >> UInt64(64 - index * 8)) }
                count = 9
            }
        case .bytes(let content) where kind == .uuid: return [valueTag] + content
        case .bytes(let content):
            var encoder = KeyEncoder()
            encoder.bytes.append(valueTag)
            unsafe content.withUnsafeBytes { unsafe encoder.appendEscaped($0) }
            return encoder.bytes
        }
    }

    /// Returns the start of the keys with some leading keys.
    static func prefix(_ keys: ArraySlice<IndexKey>, _ elements: [IndexDescription.Element]) -> [UInt8] {
        if keys.count == 1, let key = keys.first, elements[0].isAscending { return bytes(of: key, elements[0].kind) }
        var prefix: [UInt8] = []
        for (key, element) in zip(keys, elements) {
            let start = prefix.count
            prefix += bytes(of: key, element.kind)
            if !element.isAscending { invert(&prefix, from: start) }
        }
        return prefix
    }

    mutating func append(_ number: Int64) { append(word: KeyWord.of(number)) }

    /// Encodes zero and minus zero as one value, and NaN after all numbers.
    mutating func append(_ number: Double) { append(word: KeyWord.of(number)) }

    private mutating func append(word: UInt64) {
        unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Encodes text with the end 0, 1, and a 0 in it as 0, 255: so no text is the start of another one.
    private mutating func appendEscaped(_ content: UnsafeRawBufferPointer) {
        if unsafe content.contains(0) {
            for index in content.indices {
                let byte = unsafe content[index]
                bytes.append(byte)
                if byte == 0 { bytes.append(255) }
            }
        } else {
            unsafe bytes.append(contentsOf: content)
        }
        bytes.append(0)
        bytes.append(1)
    }

    /// Appends the nearest double, which orders nearly all numbers, then the text, which distinguishes the rest.
    private mutating func appendDecimal(_ text: UnsafeRawBufferPointer) {
        append(unsafe Double(String(decoding: text, as: UTF8.self)) ?? .nan)
        unsafe appendEscaped(text)
    }

    /// Cuts a key to LMDB's limit: the start, and a digest of the whole.
    private mutating func cut() {
        guard bytes.count >= KeyEncoder.greatestLength else { return }
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let length = UInt64(bytes.count)
        bytes.removeSubrange(KeyEncoder.cutLength...)
        append(word: digest)
        append(word: length)
    }

    static func invert(_ bytes: inout [UInt8], from start: Int) {
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }
}
