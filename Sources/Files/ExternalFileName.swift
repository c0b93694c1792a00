import FoundationEssentials

/// The name of a large value's file: a UUID with a checksum of the content and the store that wrote it.
///
/// Core Data takes any UUID for a name and only the value as content, so that the checksum has to be in the name. The
/// UUID is of version 8, whose 122 free bits are for the application: in bytes, big-endian,
///
/// | bytes | content |
/// |---|---|
/// | 0–3 | CRC-32C of the value |
/// | 4–5, 10–11 | length of the value |
/// | 6–9 | version, variant, 26 random bits |
/// | 12–15 | the store that wrote the file |
///
/// Names of other versions, such as Core Data's own, have no checksum.
struct ExternalFileName {
    private let bytes: [UInt8]

    init(for value: UnsafeRawBufferPointer, owner: UInt32) {
        let length = UInt32(truncatingIfNeeded: value.count)
        var random = UInt32.random(in: .min ... .max)
        random = random & 0x0FFF_3FFF | 0x8000_8000
        bytes =
            unsafe Self.bigEndian(CRC32C.checksum(of: value)) + Self.bigEndian(length)[..<2] + Self.bigEndian(random)
            + Self.bigEndian(length)[2...] + Self.bigEndian(owner)
    }

    /// Parses a name; `nil` for other versions.
    init?(_ name: String) {
        guard let uuid = UUID(uuidString: name) else { return nil }
        bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
        guard bytes[6] >> 4 == 8, bytes[8] >> 6 == 2 else { return nil }
    }

    var text: String { unsafe UUID(uuid: bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) }).uuidString }

    var owner: UInt32 { number([12, 13, 14, 15]) }

    /// Returns whether the name has the checksum of a value.
    func vouches(for value: UnsafeRawBufferPointer) -> Bool {
        unsafe value.count == Int(number([4, 5, 10, 11])) && CRC32C.checksum(of: value) == number([0, 1, 2, 3])
    }

    private func number(_ indexes: [Int]) -> UInt32 { indexes.reduce(0) { $0 << 8 | UInt32(bytes[$1]) } }

    private static func bigEndian(_ number: UInt32) -> [UInt8] { unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) } }
}
