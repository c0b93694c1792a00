import StrataEngine

/// Reads rows of a file as rows of the model.
struct RowReader {
    /// The slots of an entity that hold an entity index, with the valid indexes.
    private struct EntitySlot {
        let slot: Slot
        let destination: Range<EntityIndex>
    }

    /// Rows in the file, or in a copy whose entities have the model's indexes.
    struct Source {
        fileprivate let chunk: RowChunk
        fileprivate let copy: MutableRows?
    }

    let model: ManagedObjectModel
    let schema: SchemaSection
    let mapping: SchemaMapping
    let errors: BinaryErrors
    private let entitySlots: [[EntitySlot]]

    init(_ schema: SchemaSection, _ model: ManagedObjectModel, _ errors: BinaryErrors) {
        self.model = model
        self.schema = schema
        mapping = SchemaMapping(schema, model)
        self.errors = errors
        entitySlots = model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let relationship = property.relationship, case .toOne(_, let slot?, _) = relationship.storage else { return nil }
                return EntitySlot(slot: slot, destination: model.entities[relationship.destination].hierarchy)
            }
        }
    }

    /// Returns bytes to read rows from, which belong to a mapped file.
    func source(_ bytes: UnsafeRawBufferPointer, of file: MappedFile) -> Source {
        if mapping.isIdentity { return unsafe Source(chunk: RowChunk(borrowing: bytes, from: file), copy: nil) }
        let copy = unsafe MutableRows(bytes)
        return unsafe Source(chunk: RowChunk(borrowing: UnsafeRawBufferPointer(copy.bytes), from: copy), copy: copy)
    }

    /// Returns the row at an offset of a source, within its first bytes up to an end.
    ///
    /// - Throws: `StoreError` with `corrupt` where it is malformed, `incompatibleModel` where the model lacks its entity.
    func row(at offset: Int, upTo end: Int, in source: Source, root: EntityIndex?) throws -> Row {
        if let copy = source.copy { try translateEntity(of: copy, at: offset) }
        guard let row = Row(in: source.chunk, at: offset, model: model), row.byteCount > 0, row.byteCount <= end - offset,
            row.reference > 0,
            root.map({ model.entities[$0].hierarchy.contains(row.entityIndex) }) ?? true
        else { throw errors.corrupt("malformed row", entity: root.map { model.entities[$0].name }) }
        for slot in entitySlots[row.entityIndex] {
            if let copy = source.copy, !row.isNull(slot.slot) { try translate(slot.slot, of: row, at: offset, copy) }
            guard row.integer(slot.slot).map({ slot.destination.contains(EntityIndex($0)) }) ?? true else {
                throw errors.corrupt("a reference has the wrong destination entity", entity: model.entities[row.entityIndex].name)
            }
        }
        return row
    }

    /// Returns the index in the model of an entity of the file.
    func entity(_ index: Int64) throws(StoreError) -> EntityIndex {
        guard index >= 0, index < Int64(mapping.entities.count) else { throw errors.corrupt("malformed row: unknown entity") }
        guard let found = mapping.entities[Int(index)] else {
            throw errors.incompatible("the model has no such entity, or another shape of it", entity: schema.entities[Int(index)].name)
        }
        return found
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
