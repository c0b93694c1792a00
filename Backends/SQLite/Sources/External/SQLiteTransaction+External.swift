import StrataEngine

/// The files of external values that the transaction writes and drops.
extension SQLiteTransaction {
    /// Returns the content of a value's column: the tagged value, or the tagged name of its file.
    func content(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let name = try unsafe files.write(bytes) else { return unsafe ExternalTag.content(of: bytes) }
        // Core Data ends the name with a zero.
        return ExternalTag.content(forFile: name) + [0]
    }

    /// Records that a column's content is dropped.
    func drop(_ content: UnsafeRawBufferPointer) {
        if let name = unsafe ExternalTag.fileName(in: content) { files.drop(name) }
    }
}
