import CStrataLMDB
import StrataEngine

struct StoredRow {
    let row: Row
    /// Whether the slots of attributes with external storage begin with a tag, since values are in external files.
    let isTagged: Bool
}

/// Makes rows of the bytes in the map, and checks each.
// A class: it is passed along for every row, and a struct would be reference-counted member by member.
final class MappedRows {
    /// The bit beside the entity's number that marks a tagged row.
    static let taggedBit: UInt32 = 1 << 31

    let schema: StoreSchema
    let window: RowChunk
    let external: ExternalDataDirectory
    let path: String
    private let model: ManagedObjectModel
    private let areModelIndexes: Bool

    init(schema: StoreSchema, window: RowChunk, external: ExternalDataDirectory, path: String) {
        self.schema = schema
        self.window = window
        self.external = external
        self.path = path
        model = schema.model
        areModelIndexes = schema.numbers.areModelIndexes
    }

    private final class Anchor {}

    /// Returns a chunk over all of memory, so that a row in the map needs no chunk of its own.
    ///
    /// Its rows are within the bytes that LMDB returned, and live as long as LMDB's transaction.
    static func window() -> RowChunk {
        unsafe RowChunk(
            borrowing: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: windowStart), count: Int.max - windowStart),
            from: Anchor())
    }
    private static let windowStart = 8

    /// Returns the row in a value, valid as long as the transaction and until its next write.
    ///
    /// - Throws: `StoreError` with `corrupt` for a wrong checksum or malformed bytes.
    func row(_ value: MDB_val, reference: Int64, in hierarchy: StoreSchema.Hierarchy) throws -> StoredRow {
        guard let start = unsafe value.mv_data, unsafe value.mv_size >= RowLayout.headerSize, unsafe value.mv_size & 7 == 0,
            UInt(bitPattern: start) & 7 == 0
        else { throw damaged(reference, hierarchy, "it is no row") }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: value.mv_size)
        guard unsafe Int(bytes.load(as: UInt32.self)) == bytes.count,
            unsafe bytes.load(fromByteOffset: 20, as: UInt32.self) == RowChecksum.checksum(of: bytes),
            unsafe bytes.load(fromByteOffset: 8, as: Int64.self) == reference
        else { throw damaged(reference, hierarchy, "checksum mismatch") }
        let number = unsafe bytes.load(fromByteOffset: 4, as: UInt32.self)
        let isTagged = number & MappedRows.taggedBit != 0
        if isTagged || !areModelIndexes {
            return unsafe StoredRow(row: try translated(bytes, reference, hierarchy), isTagged: isTagged)
        }
        guard hierarchy.entities.contains(EntityIndex(number)),
            let row = Row(in: window, at: Int(bitPattern: start) - MappedRows.windowStart, model: model)
        else { throw damaged(reference, hierarchy, "it is not of the model's shape") }
        return StoredRow(row: row, isTagged: false)
    }

    /// Returns a copy of a row with the model's entity indexes in offset of the file's.
    private func translated(_ bytes: UnsafeRawBufferPointer, _ reference: Int64, _ hierarchy: StoreSchema.Hierarchy) throws -> Row {
        let number = unsafe bytes.load(fromByteOffset: 4, as: UInt32.self) & ~MappedRows.taggedBit
        guard let entity = schema.numbers.modelIndex(Int(number)), hierarchy.entities.contains(entity) else {
            throw damaged(reference, hierarchy, "the catalog knows no entity \(number) in its hierarchy")
        }
        var copy = unsafe [UInt8](bytes)
        unsafe copy.withUnsafeMutableBytes { unsafe $0.storeBytes(of: UInt32(entity.rawValue), toByteOffset: 4, as: UInt32.self) }
        if !areModelIndexes {
            for (slot, description) in schema.model.entities[entity].layout.indexedSlots where description.kind == .entity {
                let offset = RowLayout.offset(ofSlot: slot)
                guard offset + 8 <= copy.count else { break }
                unsafe copy.withUnsafeMutableBytes { copy in
                    let number = unsafe copy.loadUnaligned(fromByteOffset: offset, as: Int64.self)
                    let index = schema.numbers.modelIndex(Int(number)) ?? -1
                    unsafe copy.storeBytes(of: Int64(index.rawValue), toByteOffset: offset, as: Int64.self)
                }
            }
        }
        var writer = RowWriter(forOneRowOf: bytes.count + 16)
        guard let row = unsafe copy.withUnsafeBytes({ unsafe writer.copy(bytes: $0, model: schema.model) }) else {
            throw damaged(reference, hierarchy, "it is not of the model's shape")
        }
        return row
    }

    /// Returns a copy of a row for a caller, with the values in files of their own.
    func copy(_ stored: StoredRow, _ writer: inout RowWriter) throws -> Row {
        stored.isTagged ? try expanded(stored.row, &writer) : writer.copy(stored.row)
    }

    /// Returns a copy of a row in memory of its own.
    func copy(_ stored: StoredRow) throws -> Row {
        var writer = RowWriter(forOneRowOf: stored.row.byteCount + 16)
        return try copy(stored, &writer)
    }

    func expanded(_ stored: StoredRow) throws -> Row { stored.isTagged ? try copy(stored) : stored.row }

    /// Returns the row without tags, for an index over external values; `nil` if the file of one of them is lost.
    func expanded(_ stored: StoredRow, for index: StoreSchema.Index) throws -> Row? {
        guard index.isExternal else { return stored.row }
        let row = try expanded(stored)
        return index.elements.contains { $0.kind.isVariable && row.isUnavailable($0.slot) } ? nil : row
    }

    private func expanded(_ row: Row, _ writer: inout RowWriter) throws -> Row {
        let entity = schema.model.entities[row.entityIndex]
        let external = schema.externalSlots[row.entityIndex]
        writer.begin(entity, reference: row.reference, version: row.version)
        for (slot, description) in entity.layout.indexedSlots {
            guard external.contains(slot), let bytes = unsafe row.bytes(slot) else {
                writer.copy(slot, description.kind, from: row)
                continue
            }
            guard let name = try unsafe fileName(bytes, entity) else {
                unsafe writer.set(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), at: slot)
                continue
            }
            try ExternalStorage.fill(slot, from: name, in: self.external, into: &writer, .fetch)
        }
        return writer.finish()
    }

    /// Returns the name of the file with the value of a slot of a tagged row; `nil` if the value is in the row.
    func fileName(_ bytes: UnsafeRawBufferPointer, _ entity: EntityDescription) throws -> String? {
        switch unsafe ExternalTag(bytes) {
        case .inline: return nil
        case .file(let name): return name
        case .bare: throw StoreError(.corrupt, .read, "a value has no tag", path: path, entity: entity.name)
        }
    }

    private func damaged(_ reference: Int64, _ hierarchy: StoreSchema.Hierarchy, _ what: String) -> StoreError {
        let entity = schema.model.entities[hierarchy.root].name
        return StoreError(.corrupt, .read, "the row is damaged: \(what)", path: path, entity: entity).ofObject(reference)
    }
}
