/// What a column of an attribute with external storage holds.
enum ExternalTag {
    /// The value, behind one byte.
    case inline(UnsafeRawBufferPointer)
    /// The name of the file that holds the value.
    case file(String)
    /// The value alone, from before the attribute had external storage.
    case bare

    static let inlineByte: UInt8 = 1
    static let fileByte: UInt8 = 2

    init(_ bytes: UnsafeRawBufferPointer) {
        switch bytes.first {
        case ExternalTag.inlineByte?: self = .inline(UnsafeRawBufferPointer(rebasing: bytes[1...]))
        case ExternalTag.fileByte? where bytes.count >= 37: self = .file(String(decoding: bytes[1..<37], as: UTF8.self))
        default: self = .bare
        }
    }

    /// The column's content for a value in a file.
    static func name(_ name: String) -> [UInt8] { [fileByte] + Array(name.utf8) + [0] }
}
