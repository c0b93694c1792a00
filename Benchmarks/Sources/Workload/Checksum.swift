/// A 64-bit checksum over values in their order, fast enough not to weigh in a measurement: eight bytes per step.
@frozen
public struct Checksum: Sendable {
    @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Starts an empty checksum.
    @inlinable
    public init() {}

    @inlinable
    mutating func mix(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        state = product.high ^ product.low &+ 0xE703_7ED1_A0B4_28DB
    }

    /// Adds an integer, all eight bytes.
    @inlinable
    public mutating func add(_ value: Int64) { mix(UInt64(bitPattern: value)) }

    /// Adds a floating-point number by its bits.
    @inlinable
    public mutating func add(_ value: Double) { mix(value.bitPattern) }

    /// Adds the UTF-8 bytes and the length of a string.
    @inlinable
    public mutating func add(_ value: String) {
        var value = value
        value.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a string, and whether it is there at all.
    @inlinable
    public mutating func add(_ value: String?) {
        mix(value == nil ? 0 : 1)
        if let value { add(value) }
    }

    /// Adds an integer, and whether it is there at all.
    @inlinable
    public mutating func add(_ value: Int64?) {
        mix(value == nil ? 0 : 1)
        if let value { add(value) }
    }

    /// Adds bytes and how many they are.
    @inlinable
    public mutating func add(bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) == nil { add(bytes: Array(bytes)) }
    }

    /// Adds bytes and how many they are.
    @inlinable
    public mutating func add(_ bytes: UnsafeRawBufferPointer) {
        mix(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        mix(rest)
    }

    /// The checksum of everything added so far.
    @inlinable
    public var value: UInt64 { state ^ state >> 32 }
}
