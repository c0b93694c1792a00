/// Takes numbers and texts out of the bytes of a section; nothing is read beyond their end.
struct ByteReader {
    /// The bytes end early, or say what cannot be.
    struct Malformed: Error {}

    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var left: Int { bytes.count - offset }

    mutating func byte() throws(Malformed) -> UInt8 { try number() }

    mutating func number<Number: FixedWidthInteger>() throws(Malformed) -> Number {
        guard left >= MemoryLayout<Number>.size else { throw Malformed() }
        let number = Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        offset += MemoryLayout<Number>.size
        return number
    }

    /// A number of things of which each takes at least `size` bytes.
    mutating func count(ofSize size: Int) throws(Malformed) -> Int {
        let count: UInt32 = try number()
        guard Int(count) <= left / size else { throw Malformed() }
        return Int(count)
    }

    mutating func take(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else { throw Malformed() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try take(count(ofSize: 1)), as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Passes the zeros at the end.
    mutating func end() throws(Malformed) {
        guard left < 8, bytes[offset...].allSatisfy({ $0 == 0 }) else { throw Malformed() }
    }
}
