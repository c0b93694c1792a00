import StrataEngine

/// The rows of an entity hierarchy in blocks, each of which is checked when it is read.
// Unchecked: rows that are copied are read by the thread that opens the file alone, and others are immutable.
final class RowBlocks: RowBlockSource, @unchecked Sendable {
    private let root: EntityIndex
    private let blocks: [BlockSection.Block]
    private let source: RowReader.Source
    private let reader: RowReader
    private let sections: FileSections

    init(_ root: EntityIndex, _ blocks: [BlockSection.Block], _ source: RowReader.Source, _ reader: RowReader, _ sections: FileSections) {
        (self.root, self.blocks, self.source, self.reader, self.sections) = (root, blocks, source, reader, sections)
    }

    var blockCount: Int { blocks.count }

    /// The greatest reference of all rows; 0 without any.
    var greatestReference: Int64 {
        blocks.last.map { Int64($0.key << 6 | UInt64(63 - $0.bitmap.leadingZeroBitCount)) } ?? 0
    }

    func references(ofBlock index: Int) -> (key: UInt64, bitmap: UInt64) { (blocks[index].key, blocks[index].bitmap) }

    func rows(ofBlock index: Int) throws -> ContiguousArray<Row> {
        let block = blocks[index]
        let bytes = unsafe sections.bytes(.rows)
        guard unsafe CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[block.start..<block.end])) == block.checksum else {
            throw reader.errors.corrupt("checksum mismatch in a block of rows", entity: reader.model.entities[root].name)
        }
        var rows: ContiguousArray<Row> = []
        rows.reserveCapacity(block.bitmap.nonzeroBitCount)
        var (offset, bitmap) = (block.start, block.bitmap)
        while bitmap != 0, offset < block.end {
            let row = try reader.row(at: offset, upTo: block.end, in: source, root: root)
            guard UInt64(bitPattern: row.reference) == block.key << 6 | UInt64(bitmap.trailingZeroBitCount) else { throw malformed }
            rows.append(row)
            offset += row.byteCount
            bitmap &= bitmap - 1
        }
        guard bitmap == 0, offset == block.end else { throw malformed }
        return rows
    }

    private var malformed: StoreError { reader.errors.corrupt("malformed row", entity: reader.model.entities[root].name) }
}
