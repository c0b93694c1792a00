/// The content of a column for a value with external storage, in stores that tag it by a first byte, as Core Data's.
// Safe: using the bytes in it is marked as unsafe.
@safe public enum ExternalTag {
    /// The value, behind one byte.
    case inline(UnsafeRawBufferPointer)
    /// The name of the file that holds the value.
    case file(String)
    /// The value alone, from before the attribute had external storage.
    case bare

    private static let inlineByte: UInt8 = 1
    private static let fileByte: UInt8 = 2
    /// The length of a file's name.
    private static let nameLength = 36

    /// The length of the content for a value in a file.
    public static let fileContentLength = 1 + nameLength

    /// Decodes the content of a slot or a column.
    public init(_ bytes: UnsafeRawBufferPointer) {
        switch unsafe bytes.first {
        case ExternalTag.inlineByte?: self = unsafe .inline(UnsafeRawBufferPointer(rebasing: bytes[1...]))
        case ExternalTag.fileByte? where bytes.count > ExternalTag.nameLength:
            self = unsafe .file(String(decoding: bytes[1...ExternalTag.nameLength], as: UTF8.self))
        default: self = .bare
        }
    }

    /// Returns the file name in a tag; `nil` for a value that only looks like a tag.
    public static func fileName(in bytes: UnsafeRawBufferPointer) -> String? {
        guard case .file(let name) = unsafe ExternalTag(bytes), ExternalDataDirectory.isName(name) else { return nil }
        return name
    }

    /// Returns the content for a value in the row.
    public static func content(of bytes: UnsafeRawBufferPointer) -> [UInt8] { unsafe [inlineByte] + bytes }

    /// Returns the content for a value in a file.
    public static func content(forFile name: String) -> [UInt8] { [fileByte] + Array(name.utf8) }
}
