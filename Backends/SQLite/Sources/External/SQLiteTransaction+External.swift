import StrataEngine

/// The files of external values that the transaction writes, and those that it leaves without a name.
extension SQLiteTransaction {
    /// What the column of a value holds: the value behind a tag, or the tagged name of the file that holds it.
    func content(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let name = try unsafe files.write(bytes) else { return unsafe ExternalTag.content(of: bytes) }
        // As Core Data writes it, with a zero at the end.
        return ExternalTag.content(forFile: name) + [0]
    }

    /// Notes that a column's content goes.
    func drop(_ content: UnsafeRawBufferPointer) {
        if let name = unsafe ExternalTag.fileName(in: content) { files.drop(name) }
    }
}
