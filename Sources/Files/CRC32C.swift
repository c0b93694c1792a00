import CStrataRuntime

/// The Castagnoli checksum (CRC-32C, reflected polynomial 0x82F63B78): of a buffer at once, or piece by piece.
///
/// ``` swift
/// CRC32C.checksum(of: bytes)                  // at once
/// var crc = CRC32C(); crc.update(with: bytes) // piece by piece
/// crc.value
/// ```
public struct CRC32C: Sendable, Hashable {
    private var state: UInt32 = 0xFFFF_FFFF

    /// Creates the checksum of no bytes.
    public init() {}

    /// Continues a checksum whose ``value`` is `value`.
    public init(resuming value: UInt32) {
        state = ~value
    }

    /// The checksum of all bytes so far.
    public var value: UInt32 { ~state }

    private static let isHardware = strata_has_crc32c() != 0

    /// Adds `bytes`, with the processor's instruction where it has one.
    ///
    /// O(n), no allocation.
    public mutating func update(with bytes: UnsafeRawBufferPointer) {
        if CRC32C.isHardware {
            state = unsafe strata_crc32c(state, bytes.baseAddress, bytes.count)
        } else {
            unsafe update(byTable: bytes)
        }
    }

    /// Adds `bytes` on a processor without an instruction for it, eight at a time.
    mutating func update(byTable bytes: UnsafeRawBufferPointer) {
        guard var next = bytes.baseAddress else { return }
        let table = unsafe Self.table.start
        var crc = state
        var left = bytes.count
        while left >= 8 {
            let word = unsafe UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
            crc =
                unsafe table[1792 &+ Int(word & 0xFF)]
                ^ table[1536 &+ Int((word >> 8) & 0xFF)]
                ^ table[1280 &+ Int((word >> 16) & 0xFF)]
                ^ table[1024 &+ Int((word >> 24) & 0xFF)]
                ^ table[768 &+ Int((word >> 32) & 0xFF)]
                ^ table[512 &+ Int((word >> 40) & 0xFF)]
                ^ table[256 &+ Int((word >> 48) & 0xFF)]
                ^ table[Int(word >> 56)]
            unsafe next += 8
            left &-= 8
        }
        while left > 0 {
            crc = unsafe table[Int((crc ^ UInt32(next.load(as: UInt8.self))) & 0xFF)] ^ (crc >> 8)
            unsafe next += 1
            left &-= 1
        }
        state = crc
    }

    /// Takes in the next bytes.
    public mutating func update(with bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update(with: $0) }
    }

    /// Returns the checksum of `bytes`.
    public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32C()
        unsafe crc.update(with: bytes)
        return crc.value
    }

    /// Returns the checksum of `bytes`.
    public static func checksum(of bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe checksum(of: $0) }
    }

    private static let table = Table()

    /// Eight tables of 256 words in a row: table `k` advances a byte past `k` zero bytes.
    // Filled before it is published, and immutable and permanent from then on.
    @safe private struct Table: @unchecked Sendable {
        let start: UnsafePointer<UInt32>

        init() {
            let words = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
            for byte in 0..<256 {
                var crc = UInt32(byte)
                for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
                unsafe words[byte] = crc
            }
            for index in 256..<2048 {
                let previous = unsafe words[index - 256]
                unsafe words[index] = words[Int(previous & 0xFF)] ^ (previous >> 8)
            }
            unsafe start = UnsafePointer(words)
        }
    }
}
