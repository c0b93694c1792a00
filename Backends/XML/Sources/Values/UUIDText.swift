import FoundationEssentials

enum UUIDText {
    private static let hex: StaticString = "0123456789ABCDEF"

    /// Appends 16 bytes as an upper-case UUID.
    static func append(_ bytes: UnsafeRawBufferPointer, to out: inout ByteBuffer) {
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            if index == 4 || index == 6 || index == 8 || index == 10 { out.append(UInt8(ascii: "-")) }
            unsafe out.append(hex.utf8Start[Int(byte >> 4)])
            unsafe out.append(hex.utf8Start[Int(byte & 15)])
        }
    }

    /// Returns the UUID of a text, `nil` for other texts.
    static func uuid(_ text: UnsafeRawBufferPointer) -> uuid_t? {
        unsafe UUID(uuidString: String(decoding: NumberText.trimmed(text), as: UTF8.self))?.uuid
    }
}
