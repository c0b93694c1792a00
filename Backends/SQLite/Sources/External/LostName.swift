import StrataEngine

/// How a column of bytes that is not external holds the name of the file of a value that could not be read when it was external: as text,
/// which no value of such a column is.
enum LostName {
    /// The text for a file's name.
    static func content(for name: String) -> [UInt8] { ExternalTag.content(forFile: name) }

    /// The name of the file that some text leads to; `nil` for text that somebody else wrote.
    static func name(in text: UnsafeRawBufferPointer) -> String? { unsafe ExternalTag.fileName(in: text) }
}
