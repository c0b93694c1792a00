import StrataEngine

/// The directory of rows: blocks of up to 64 rows with consecutive references, with a checksum for each.
enum BlockSection {
    struct Block {
        /// The references of the rows without their last six bits.
        let key: UInt64
        /// The last six bits of the references: a bit for each row, in order.
        let bitmap: UInt64
        /// The offset of the first row in the section of rows.
        let start: Int
        let checksum: UInt32
        /// The offset after the last row.
        var end: Int
    }

    /// Reads the blocks of all hierarchies, by their order in the file.
    static func read(_ bytes: UnsafeRawBufferPointer, _ hierarchies: [HierarchySection.Hierarchy], _ errors: BinaryErrors) throws
        -> [[Block]]
    {
        var reader = unsafe ByteReader(bytes)
        var start = 0
        return try hierarchies.map { hierarchy in
            guard hierarchy.blockCount <= reader.left / FileLayout.blockSize, hierarchy.length <= .max - start else {
                throw MalformedBytes()
            }
            let end = start + hierarchy.length
            var blocks: [Block] = []
            blocks.reserveCapacity(hierarchy.blockCount)
            var rows = 0
            for index in 0..<hierarchy.blockCount {
                let key: UInt64 = try reader.number()
                let bitmap: UInt64 = try reader.number()
                let offset: UInt64 = try reader.number()
                let checksum: UInt32 = try reader.number()
                let zero: UInt32 = try reader.number()
                guard key < 1 << 57, bitmap != 0, offset & 7 == 0, offset <= UInt64(end), zero == 0,
                    index == 0 ? offset == UInt64(start) : key > blocks[index - 1].key && Int(offset) > blocks[index - 1].start
                else { throw errors.corrupt("malformed block of rows") }
                if index > 0 { blocks[index - 1].end = Int(offset) }
                blocks.append(Block(key: key, bitmap: bitmap, start: Int(offset), checksum: checksum, end: end))
                rows += bitmap.nonzeroBitCount
            }
            guard rows == hierarchy.count, rows > 0 || hierarchy.length == 0 else {
                throw errors.corrupt("there are more or fewer rows than the file says")
            }
            start = end
            return blocks
        }
    }

    /// Writes the blocks of a hierarchy's rows, which begin at an offset; returns their number and length.
    static func write(_ rows: [Row], at start: Int, to writer: inout ByteWriter) -> (count: Int, length: Int) {
        var (count, offset, first) = (0, start, start)
        var (key, bitmap, checksum) = (UInt64(0), UInt64(0), CRC32C())
        func end() {
            if bitmap == 0 { return }
            writer.put(key)
            writer.put(bitmap)
            writer.put(UInt64(first))
            writer.put(checksum.value)
            writer.put(UInt32(0))
            count += 1
        }
        for row in rows {
            let reference = UInt64(bitPattern: row.reference)
            if reference >> 6 != key || bitmap == 0 {
                end()
                (key, bitmap, checksum, first) = (reference >> 6, 0, CRC32C(), offset)
            }
            bitmap |= 1 << (reference & 63)
            unsafe checksum.update(with: row.bytes)
            offset += row.byteCount
        }
        end()
        return (count, offset - start)
    }
}
