import StrataFiles

/// The entity hierarchies of a file: where their rows and blocks are, and how many objects each entity has.
struct HierarchySection {
    /// An entity hierarchy's entry.
    struct Hierarchy {
        let entity: Int
        let blockCount: Int
        let count: Int
        let length: Int
        let lastReference: Int64
    }

    var hierarchies: [Hierarchy] = []
    /// The number of objects of each entity of the file, without its subentities; empty in a file without blocks.
    var counts: [Int] = []

    init() {}

    init(_ bytes: UnsafeRawBufferPointer, entityCount: Int, hasBlocks: Bool, _ errors: BinaryErrors) throws {
        let countsLength = hasBlocks ? entityCount * 8 : 0
        guard bytes.count >= countsLength, (bytes.count - countsLength) % FileLayout.hierarchySize == 0 else {
            throw errors.corrupt("the section of entity hierarchies has the wrong length")
        }
        var reader = unsafe ByteReader(bytes)
        while reader.left > countsLength {
            let entity: UInt32 = try reader.number()
            let blocks: UInt32 = try reader.number()
            let count: UInt64 = try reader.number()
            let length: UInt64 = try reader.number()
            let last: Int64 = try reader.number()
            let reserved: UInt64 = try reader.number()
            guard entity < entityCount, hasBlocks || blocks == 0, reserved == 0, let count = Int(exactly: count),
                let length = Int(exactly: length), length & 7 == 0, last >= 0
            else { throw errors.corrupt("malformed description of an entity hierarchy") }
            hierarchies.append(
                Hierarchy(entity: Int(entity), blockCount: Int(blocks), count: count, length: length, lastReference: last))
        }
        while reader.left > 0 {
            guard let count = Int(exactly: try reader.number(UInt64.self)) else {
                throw errors.corrupt("malformed description of an entity hierarchy")
            }
            counts.append(count)
        }
    }

    func write(to writer: inout ByteWriter) {
        for hierarchy in hierarchies {
            writer.put(UInt32(truncatingIfNeeded: hierarchy.entity))
            writer.put(UInt32(truncatingIfNeeded: hierarchy.blockCount))
            writer.put(UInt64(hierarchy.count))
            writer.put(UInt64(hierarchy.length))
            writer.put(hierarchy.lastReference)
            writer.put(UInt64(0))
        }
        for count in counts { writer.put(UInt64(count)) }
    }
}
