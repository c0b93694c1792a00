import StrataFiles

/// Writes header, sections, trailer and the commit records of no appended save, front to back.
struct SectionWriter {
    private var header = ByteWriter()
    private var directory = ByteWriter()
    private var next = FileLayout.headerSize
    private let total: Int
    private let version: UInt32

    /// Writes the header of a file with the given total length of sections.
    init(length: Int, version: UInt32 = FileLayout.version, to sink: inout FileSink) throws(FileError) {
        self.version = version
        total = FileLayout.headerSize + length + FileLayout.trailerSize(version)
        header.put(raw: FileLayout.magic)
        header.put(version)
        header.put(FileLayout.byteOrderMark)
        header.put(UInt64(total))
        header.put(UInt32(0))
        header.put(CRC32C.checksum(of: header.bytes))
        try sink.write(header.bytes)
    }

    /// Writes a section; sections have to be written in their order.
    ///
    /// - Parameter hasBlocks: Whether its blocks have checksums, and the section has none.
    mutating func write(
        _ section: FileLayout.Section, hasBlocks: Bool = false, to sink: inout FileSink, _ body: (inout FileSink) throws -> Void
    ) throws {
        if !hasBlocks { sink.beginChecksum() }
        let start = sink.byteCount
        try body(&sink)
        let length = sink.byteCount - start
        directory.put(section.rawValue)
        directory.put(hasBlocks ? 0 : sink.checksum())
        directory.put(UInt64(next))
        directory.put(UInt64(length))
        next += length
    }

    mutating func finish(to sink: inout FileSink) throws(FileError) {
        directory.put(UInt32(FileLayout.sections(version).count))
        var crc = CRC32C()
        crc.update(with: header.bytes)
        crc.update(with: directory.bytes)
        directory.put(crc.value)
        directory.put(UInt64(total))
        directory.put(UInt64(0))
        directory.put(raw: FileLayout.endMagic)
        try sink.write(directory.bytes)
        if version == FileLayout.wholeVersion { return }
        let record = CommitRecord(number: 0, end: total + CommitRecord.length, checksum: crc.value)
        for _ in 0..<2 { try sink.write(record.bytes) }
    }
}
