/// Collects bytes: numbers are little-endian, and lengths and counts are numbers of one width.
///
/// ```swift
/// var writer = ByteWriter<UInt32>()
/// writer.put(text: "name")
/// let bytes = writer.sealed(as: UInt32.self)
/// ```
public struct ByteWriter<Length: FixedWidthInteger & Sendable>: Sendable {
    /// The bytes written so far, without a seal.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    public init() {}

    /// Writes a number in as many bytes as its type has.
    public mutating func put(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a byte.
    public mutating func put(_ byte: UInt8) { bytes.append(byte) }

    /// Writes a length, or how many things follow.
    public mutating func put(count: Int) { put(Length(truncatingIfNeeded: count)) }

    /// Writes a number that may be missing: a count of none or one, then the number.
    public mutating func put(optional number: Int64?) {
        put(count: number == nil ? 0 : 1)
        if let number { put(number) }
    }

    /// Writes bytes as they are.
    public mutating func put(raw content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }

    /// Writes bytes behind their length.
    public mutating func put(content: some Collection<UInt8>) {
        put(count: content.count)
        bytes.append(contentsOf: content)
    }

    /// Writes a text, as UTF-8, behind its length.
    public mutating func put(text: String) { put(content: text.utf8) }

    /// Writes zeros up to a multiple of eight.
    public mutating func pad() { while bytes.count & 7 != 0 { bytes.append(0) } }

    /// Returns what was written, and behind it its CRC-32C, as wide as a number of a type.
    public consuming func sealed<Checksum: FixedWidthInteger>(as _: Checksum.Type) -> [UInt8] {
        put(Checksum(truncatingIfNeeded: CRC32C.checksum(of: bytes)))
        return bytes
    }
}
