import StrataEngine

/// One of the two records behind the trailer, which say how many appended saves the file has.
///
/// They are written in turn: the one of the save before stays until that of the next save is written.
struct CommitRecord {
    static let size = 24
    /// The length of both.
    static let length = 2 * size

    /// The number of saves that were appended.
    let number: UInt64
    /// The offset after the last one.
    let end: Int
    /// The checksum of the last one; that of the trailer where there is none.
    let checksum: UInt32

    init(number: UInt64, end: Int, checksum: UInt32) { (self.number, self.end, self.checksum) = (number, end, checksum) }

    /// Reads a record; `nil` where its checksum is wrong.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + CommitRecord.size)])
        guard var reader = try? unsafe ByteReader(sealed: bytes, as: UInt32.self), let number: UInt64 = try? reader.number(),
            let end: UInt64 = try? reader.number(), let end = Int(exactly: end), let checksum: UInt32 = try? reader.number()
        else { return nil }
        self.init(number: number, end: end, checksum: checksum)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(number)
        writer.put(UInt64(end))
        writer.put(checksum)
        return writer.sealed(as: UInt32.self)
    }
}

extension AppendPosition {
    /// The record of the last save.
    var commitRecord: CommitRecord { CommitRecord(number: number, end: offset, checksum: checksum) }
}
