import StrataFiles

/// Writes header, sections and trailer, front to back.
struct SectionWriter {
    private var header = ByteWriter()
    private var directory = ByteWriter()
    private var next = FileLayout.headerSize
    private let total: Int

    /// Writes the header of a file with the given total length of sections.
    init(length: Int, to sink: inout FileSink) throws(FileError) {
        total = FileLayout.headerSize + length + FileLayout.trailerSize
        header.put(raw: FileLayout.magic)
        header.put(FileLayout.version)
        header.put(FileLayout.byteOrderMark)
        header.put(UInt64(total))
        header.put(UInt32(0))
        header.put(CRC32C.checksum(of: header.bytes))
        try sink.write(header.bytes)
    }

    /// Writes a section; sections have to be written in their order.
    mutating func write(_ section: FileLayout.Section, to sink: inout FileSink, _ body: (inout FileSink) throws -> Void) throws {
        sink.beginChecksum()
        let start = sink.byteCount
        try body(&sink)
        let length = sink.byteCount - start
        directory.put(section.rawValue)
        directory.put(sink.checksum())
        directory.put(UInt64(next))
        directory.put(UInt64(length))
        next += length
    }

    mutating func finish(to sink: inout FileSink) throws(FileError) {
        directory.put(UInt32(FileLayout.Section.allCases.count))
        var crc = CRC32C()
        crc.update(with: header.bytes)
        crc.update(with: directory.bytes)
        directory.put(crc.value)
        directory.put(UInt64(total))
        directory.put(UInt64(0))
        directory.put(raw: FileLayout.endMagic)
        try sink.write(directory.bytes)
    }
}
