import StrataFiles

/// How a row or a column holds a value of an attribute with external storage, in stores that keep the two cases apart by a first byte, as
/// Core Data's SQLite stores do.
// Safe: whoever takes the bytes out of it has to say so.
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

    /// Takes the content of a slot or a column apart.
    public init(_ bytes: UnsafeRawBufferPointer) {
        switch unsafe bytes.first {
        case ExternalTag.inlineByte?: self = unsafe .inline(UnsafeRawBufferPointer(rebasing: bytes[1...]))
        case ExternalTag.fileByte? where bytes.count > ExternalTag.nameLength:
            self = unsafe .file(String(decoding: bytes[1...ExternalTag.nameLength], as: UTF8.self))
        default: self = .bare
        }
    }

    /// Returns the name of the file that a tag references; `nil` for a value that only looks like a tag.
    public static func fileName(in bytes: UnsafeRawBufferPointer) -> String? {
        guard case .file(let name) = unsafe ExternalTag(bytes), ExternalDataDirectory.isName(name) else { return nil }
        return name
    }

    /// Returns the content for a value that lies in the row.
    public static func content(of bytes: UnsafeRawBufferPointer) -> [UInt8] { unsafe [inlineByte] + bytes }

    /// Returns the content for a value in a file.
    public static func content(forFile name: String) -> [UInt8] { [fileByte] + Array(name.utf8) }
}
