import StrataFiles

/// Writes numbers, text and bytes one after the other; numbers are little-endian, text and bytes follow their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }

    mutating func put(_ number: Int) { put(Int64(number)) }

    mutating func put(_ text: String) { put(Array(text.utf8)) }

    mutating func put(_ content: [UInt8]) {
        put(content.count)
        bytes.append(contentsOf: content)
    }

    /// The bytes, with their checksum after them.
    func sealed() -> [UInt8] {
        bytes + withUnsafeBytes(of: CRC32C.checksum(of: bytes).littleEndian) { Array($0) }
    }
}

/// Reads what a ``ByteWriter`` wrote, trusting nothing.
struct ByteReader {
    /// The bytes say something that cannot be.
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    /// Reads sealed bytes, which must outlive this.
    init(sealed: UnsafeRawBufferPointer) throws(Damage) {
        guard sealed.count >= 4 else { throw Damage() }
        let content = UnsafeRawBufferPointer(rebasing: sealed[..<(sealed.count - 4)])
        let checksum = UInt32(littleEndian: sealed.loadUnaligned(fromByteOffset: content.count, as: UInt32.self))
        guard CRC32C.checksum(of: content) == checksum else { throw Damage() }
        bytes = content
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(Damage) -> UInt8 {
        guard place < bytes.count else { throw Damage() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func long() throws(Damage) -> Int64 {
        guard bytes.count - place >= 8 else { throw Damage() }
        defer { place += 8 }
        return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
    }

    mutating func content() throws(Damage) -> [UInt8] {
        let count = try long()
        guard count >= 0, count <= Int64(bytes.count - place) else { throw Damage() }
        defer { place += Int(count) }
        return Array(bytes[place..<(place + Int(count))])
    }

    mutating func text() throws(Damage) -> String { String(decoding: try content(), as: UTF8.self) }

    /// A number of things, each of which takes a byte at least.
    mutating func count() throws(Damage) -> Int {
        let count = try long()
        guard count >= 0, count <= Int64(bytes.count - place) else { throw Damage() }
        return Int(count)
    }
}
