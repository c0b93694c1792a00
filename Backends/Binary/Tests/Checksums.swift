import StrataFiles

@testable import StrataBinary

/// Makes the checksums of a changed file right again, so that what is behind them is put to the test.
enum Checksums {
    static func mended(_ file: [UInt8], version: UInt32 = FileLayout.version) -> [UInt8] {
        var file = file
        func put(_ value: UInt32, at offset: Int) {
            withUnsafeBytes(of: value.littleEndian) { for (index, byte) in $0.enumerated() { file[offset + index] = byte } }
        }
        func number(_ offset: Int) -> Int {
            file.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        }
        put(CRC32C.checksum(of: Array(file[..<28])), at: 28)
        let length = file.count - (version == FileLayout.wholeVersion ? 0 : CommitRecord.length)
        let trailer = length - FileLayout.trailerSize(version)
        func range(_ section: FileLayout.Section) -> Range<Int> {
            let entry = trailer + (Int(section.rawValue) - 1) * FileLayout.sectionEntrySize
            return number(entry + 8)..<(number(entry + 8) + number(entry + 16))
        }
        if version != FileLayout.wholeVersion {
            let (hierarchies, rows, blocks) = (range(.hierarchies), range(.rows), range(.blocks))
            var (entry, block, end) = (hierarchies.lowerBound, blocks.lowerBound, 0)
            while entry + FileLayout.hierarchySize <= hierarchies.upperBound {
                end = end &+ number(entry + 16)
                for _ in 0..<min((number(entry) >> 32) & 0xFFFF, (blocks.upperBound - block) / FileLayout.blockSize) {
                    let isLast = block + 2 * FileLayout.blockSize > blocks.upperBound
                    let next = isLast ? end : min(end, number(block + FileLayout.blockSize + 16))
                    let start = number(block + 16)
                    if start >= 0, next >= start, next <= rows.count {
                        put(CRC32C.checksum(of: Array(file[rows][(rows.lowerBound + start)..<(rows.lowerBound + next)])), at: block + 24)
                    }
                    block += FileLayout.blockSize
                }
                entry += FileLayout.hierarchySize
            }
        }
        for (index, section) in FileLayout.sections(version).enumerated() {
            let checksum = section == .rows && version != FileLayout.wholeVersion ? 0 : CRC32C.checksum(of: Array(file[range(section)]))
            put(checksum, at: trailer + index * FileLayout.sectionEntrySize + 4)
        }
        let end = length - 32
        let checksum = CRC32C.checksum(of: Array(file[..<FileLayout.headerSize]) + file[trailer..<(end + 4)])
        put(checksum, at: end + 4)
        if length < file.count {
            file[length...] = []
            for _ in 0..<2 { file += CommitRecord(number: 0, end: length + CommitRecord.length, checksum: checksum).bytes }
        }
        return file
    }
}

/// Files of version 1, which has neither blocks nor a section for the history.
enum WholeVersion {
    /// Returns a file without a history in the older version.
    static func file(_ file: [UInt8]) -> [UInt8] {
        func number(_ offset: Int) -> Int {
            file.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        }
        let trailer = file.count - CommitRecord.length - FileLayout.trailerSize()
        let parts = (0..<6).map { index -> [UInt8] in
            let entry = trailer + index * FileLayout.sectionEntrySize
            var bytes = Array(file[number(entry + 8)..<(number(entry + 8) + number(entry + 16))])
            guard index == 2 else { return bytes }
            // The counts of the entities follow the hierarchies.
            let schema = number(trailer + 8)
            bytes.removeLast(8 * (number(schema) & 0xFFFF_FFFF))
            for entry in stride(from: 0, to: bytes.count, by: FileLayout.hierarchySize) {
                for byte in 4..<8 { bytes[entry + byte] = 0 }
            }
            return bytes
        }
        func bytes(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let length = FileLayout.headerSize + parts.reduce(0) { $0 + $1.count } + FileLayout.trailerSize(FileLayout.wholeVersion)
        var old = Array(file[..<8]) + bytes(1 | 0x0102_0304 << 32) + bytes(length) + bytes(0) + parts.flatMap(\.self)
        var offset = FileLayout.headerSize
        for (index, part) in parts.enumerated() {
            old += bytes(index + 1) + bytes(offset) + bytes(part.count)
            offset += part.count
        }
        old += bytes(6) + bytes(length) + bytes(0) + FileLayout.endMagic
        return Checksums.mended(old, version: FileLayout.wholeVersion)
    }
}
