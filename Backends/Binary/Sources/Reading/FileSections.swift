import StrataStore

/// The sections of a mapped file with a valid header and trailer.
struct FileSections: Sendable {
    private struct Entry: Sendable {
        let range: Range<Int>
        let checksum: UInt32
    }

    let file: MappedFile
    let version: UInt32
    /// The length of the part that was written as a whole.
    let length: Int
    /// The checksum of header and trailer.
    let checksum: UInt32
    private let entries: [Entry]
    private let errors: BinaryErrors

    /// Checks the header and the trailer; throws `foreign`, `wrongType`, `unsupportedVersion` or `corrupt`.
    init(_ file: MappedFile, _ errors: BinaryErrors) throws(StoreError) {
        let bytes = unsafe file.bytes
        guard unsafe bytes.starts(with: FileLayout.magic) else { throw unsafe errors.refusal(bytes) }
        guard bytes.count >= FileLayout.headerSize else { throw errors.corrupt("the file is truncated") }
        func word(_ offset: Int) -> UInt32 { unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        func number(_ offset: Int) -> UInt64 { unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        guard unsafe word(28) == CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<28])) else {
            throw errors.corrupt("checksum mismatch in the header")
        }
        let version = word(8)
        guard version == FileLayout.version || version == FileLayout.wholeVersion, word(12) == FileLayout.byteOrderMark else {
            throw StoreError(.unsupportedVersion, errors.operation, "the format is of version \(version)", path: errors.path)
        }
        let sections = FileLayout.sections(version)
        guard let length = Int(exactly: number(16)), length & 7 == 0, length >= FileLayout.headerSize + FileLayout.trailerSize(version),
            version == FileLayout.wholeVersion ? length == bytes.count : length <= bytes.count - CommitRecord.length
        else { throw errors.corrupt("the length of the file differs from that in its header") }
        let trailer = length - FileLayout.trailerSize(version)
        let end = length - 32
        var crc = CRC32C()
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: bytes[..<FileLayout.headerSize]))
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: bytes[trailer..<(end + 4)]))
        guard word(end + 4) == crc.value, unsafe bytes[(end + 24)..<length].elementsEqual(FileLayout.endMagic),
            number(end + 8) == UInt64(length), number(end + 16) == 0, word(end) == UInt32(sections.count)
        else { throw errors.corrupt("checksum mismatch in the trailer") }
        var entries: [Entry] = []
        var next = FileLayout.headerSize
        for (index, section) in sections.enumerated() {
            let entry = trailer + index * FileLayout.sectionEntrySize
            let length = number(entry + 16)
            guard word(entry) == section.rawValue, number(entry + 8) == UInt64(next), length & 7 == 0, length <= UInt64(trailer - next)
            else { throw errors.corrupt("the sections overlap or leave gaps") }
            entries.append(Entry(range: next..<(next + Int(length)), checksum: word(entry + 4)))
            next += Int(length)
        }
        guard next == trailer else { throw errors.corrupt("there are bytes between the last section and the trailer") }
        self.file = file
        self.version = version
        self.length = length
        checksum = crc.value
        self.entries = entries
        self.errors = errors
    }

    /// Whether rows are in blocks with checksums, and saves are appended.
    var hasBlocks: Bool { version != FileLayout.wholeVersion }

    func range(_ section: FileLayout.Section) -> Range<Int> { entries[Int(section.rawValue) - 1].range }

    /// Returns the bytes of a section; valid while ``file`` lives.
    func bytes(_ section: FileLayout.Section) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: file.bytes[range(section)])
    }

    /// Returns the bytes of a section after checking its checksum; valid while ``file`` lives.
    func checked(_ section: FileLayout.Section) throws(StoreError) -> UnsafeRawBufferPointer {
        let bytes = unsafe bytes(section)
        guard unsafe CRC32C.checksum(of: bytes) == entries[Int(section.rawValue) - 1].checksum else {
            throw errors.corrupt("checksum mismatch in the section of \(section)")
        }
        return unsafe bytes
    }
}
