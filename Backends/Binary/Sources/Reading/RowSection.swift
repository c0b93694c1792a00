import StrataEngine

struct RowSection {
    /// An entity hierarchy's entry in its section.
    private struct Hierarchy {
        let entity: Int
        let count: Int
        let length: Int
        let lastReference: Int64
    }

    /// The slots of an entity that hold an entity index, with the valid indexes.
    private struct EntitySlot {
        let slot: Slot
        let destination: Range<EntityIndex>
    }

    private let model: ManagedObjectModel
    private let schema: SchemaSection
    private let mapping: SchemaMapping
    private let errors: BinaryErrors
    private let entitySlots: [[EntitySlot]]

    init(_ schema: SchemaSection, _ mapping: SchemaMapping, _ model: ManagedObjectModel, _ errors: BinaryErrors) {
        self.model = model
        self.schema = schema
        self.mapping = mapping
        self.errors = errors
        entitySlots = model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let relationship = property.relationship, case .toOne(_, let slot?, _) = relationship.storage else { return nil }
                return EntitySlot(slot: slot, destination: model.entities[relationship.destination].hierarchy)
            }
        }
    }

    /// Adds the rows, and the greatest references, to the contents.
    func read(_ hierarchies: UnsafeRawBufferPointer, _ rows: UnsafeRawBufferPointer, of file: MappedFile, to contents: inout TableContents)
        throws
    {
        let chunk: RowChunk
        var copy: MutableRows?
        if mapping.isIdentity {
            chunk = unsafe RowChunk(borrowing: rows, from: file)
        } else {
            let made = unsafe MutableRows(rows)
            chunk = unsafe RowChunk(borrowing: UnsafeRawBufferPointer(made.bytes), from: made)
            copy = made
        }
        var offset = 0
        for hierarchy in try unsafe self.hierarchies(hierarchies) {
            guard let root = mapping.entities[hierarchy.entity], model.entities[root].root == root else {
                if hierarchy.count == 0 { continue }
                throw errors.incompatible(
                    "the model has no such entity, or another shape of it", entity: schema.entities[hierarchy.entity].name)
            }
            guard hierarchy.length <= rows.count - offset, hierarchy.count <= hierarchy.length / RowLayout.headerSize,
                contents.lastReference[root] == nil
            else { throw errors.corrupt("the entity hierarchies are longer than the rows") }
            contents.lastReference[root] = hierarchy.lastReference
            let end = offset + hierarchy.length
            let found = try read(hierarchy, root, offset..<end, chunk, copy)
            if !found.isEmpty { contents.rows[root] = found }
            offset = end
        }
        guard offset == rows.count else { throw errors.corrupt("there are rows without an entity hierarchy") }
    }

    private func read(_ hierarchy: Hierarchy, _ root: EntityIndex, _ range: Range<Int>, _ chunk: RowChunk, _ copy: MutableRows?) throws
        -> [Row]
    {
        let members = model.entities[root].hierarchy
        var rows: [Row] = []
        rows.reserveCapacity(hierarchy.count)
        var offset = range.lowerBound
        var previous: Int64 = 0
        while offset < range.upperBound {
            if let copy { try translateEntity(of: copy, at: offset) }
            guard let row = Row(in: chunk, at: offset, model: model), row.byteCount <= range.upperBound - offset,
                row.byteCount > 0, members.contains(row.entityIndex), row.reference > previous, row.reference <= hierarchy.lastReference
            else { throw errors.corrupt("malformed row", entity: model.entities[root].name) }
            for slot in entitySlots[row.entityIndex] {
                if let copy, !row.isNull(slot.slot) { try translate(slot.slot, of: row, at: offset, copy) }
                guard row.integer(slot.slot).map({ slot.destination.contains(EntityIndex($0)) }) ?? true else {
                    throw errors.corrupt("a reference has the wrong destination entity", entity: model.entities[row.entityIndex].name)
                }
            }
            rows.append(row)
            previous = row.reference
            offset += row.byteCount
        }
        guard rows.count == hierarchy.count else { throw errors.corrupt("there are more or fewer rows than the file says") }
        return rows
    }

    private func translateEntity(of copy: MutableRows, at offset: Int) throws {
        // A row that is truncated is malformed with or without its entity.
        guard unsafe offset + RowLayout.headerSize <= copy.bytes.count else { return }
        let index = unsafe copy.bytes.load(fromByteOffset: offset + 4, as: UInt32.self)
        unsafe copy.bytes.storeBytes(of: UInt32(try entity(Int64(index)).rawValue), toByteOffset: offset + 4, as: UInt32.self)
    }

    private func translate(_ slot: Slot, of row: Row, at offset: Int, _ copy: MutableRows) throws {
        let index = try entity(row.integer(slot) ?? -1)
        unsafe copy.bytes.storeBytes(of: Int64(index.rawValue), toByteOffset: offset + RowLayout.offset(ofSlot: slot), as: Int64.self)
    }

    private func entity(_ index: Int64) throws -> EntityIndex {
        guard index >= 0, index < Int64(mapping.entities.count) else { throw errors.corrupt("malformed row: unknown entity") }
        guard let found = mapping.entities[Int(index)] else {
            throw errors.incompatible("the model has no such entity, or another shape of it", entity: schema.entities[Int(index)].name)
        }
        return found
    }

    private func hierarchies(_ bytes: UnsafeRawBufferPointer) throws -> [Hierarchy] {
        guard bytes.count % FileLayout.hierarchySize == 0 else {
            throw errors.corrupt("the section of entity hierarchies has the wrong length")
        }
        var reader = unsafe ByteReader(bytes)
        var hierarchies: [Hierarchy] = []
        while reader.left > 0 {
            let entity: UInt32 = try reader.number()
            let zero: UInt32 = try reader.number()
            let count: UInt64 = try reader.number()
            let length: UInt64 = try reader.number()
            let last: Int64 = try reader.number()
            let reserved: UInt64 = try reader.number()
            guard entity < schema.entities.count, zero == 0, reserved == 0, let count = Int(exactly: count),
                let length = Int(exactly: length),
                length & 7 == 0, last >= 0
            else { throw errors.corrupt("malformed description of an entity hierarchy") }
            hierarchies.append(Hierarchy(entity: Int(entity), count: count, length: length, lastReference: last))
        }
        return hierarchies
    }
}

/// A copy of rows whose entities have other indexes in the model than in the file.
// Safe: it owns the memory.
@safe final class MutableRows {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
        unsafe bytes = .allocate(byteCount: source.count, alignment: 8)
        unsafe bytes.copyMemory(from: source)
    }

    deinit { unsafe bytes.deallocate() }
}
