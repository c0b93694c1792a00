import CStrataLMDB
import StrataModel
import StrataPlatform

/// Writes rows to their hierarchy with their checksums.
// Safe: it lives within its transaction.
@safe struct RowStorage {
    let transaction: OpaquePointer
    let schema: StoreSchema

    /// The write position in a hierarchy; references after the last one are appended.
    final class Position {
        let hierarchy: StoreSchema.Hierarchy
        fileprivate let cursor: Cursor
        fileprivate var last: Int64

        fileprivate init(_ hierarchy: StoreSchema.Hierarchy, _ transaction: OpaquePointer) throws {
            self.hierarchy = hierarchy
            cursor = try unsafe Cursor(transaction, hierarchy.rows)
            last = try unsafe cursor.move(MDB_LAST) ? cursor.key.integer ?? .max : 0
        }
    }

    func position(_ hierarchy: StoreSchema.Hierarchy) throws -> Position { try unsafe Position(hierarchy, transaction) }

    /// Writes a new row; false if its reference exists.
    func insert(_ row: Row, tagged: Row?, at position: Position) throws -> Bool {
        let isNext = row.reference > position.last
        guard try put(row, tagged, position.cursor, isNext ? MDB_APPEND : MDB_NOOVERWRITE) else { return false }
        if isNext { position.last = row.reference }
        return true
    }

    func replace(_ row: Row, tagged: Row?, at position: Position) throws { _ = try put(row, tagged, position.cursor, 0) }

    func remove(_ reference: Int64, at position: Position) throws {
        if try position.cursor.seek(reference, MDB_SET) { try position.cursor.remove() }
    }

    private func put(_ row: Row, _ tagged: Row?, _ cursor: Cursor, _ flags: Int32) throws -> Bool {
        if tagged == nil && schema.numbers.areModelIndexes { return try unsafe put(row.bytes, row.reference, cursor, flags) }
        var bytes = unsafe [UInt8]((tagged ?? row).bytes)
        let number = UInt32(truncatingIfNeeded: schema.numbers.inFile[row.entityIndex]) | (tagged == nil ? 0 : MappedRows.taggedBit)
        unsafe bytes.withUnsafeMutableBytes { unsafe $0.storeBytes(of: number, toByteOffset: 4, as: UInt32.self) }
        for (slot, description) in schema.model.entities[row.entityIndex].layout.indexedSlots where description.kind == .entity {
            guard let entity = row.integer(slot).map({ EntityIndex($0) }), schema.numbers.inFile.typedIndices().contains(entity) else {
                continue
            }
            let number = Int64(schema.numbers.inFile[entity])
            unsafe bytes.withUnsafeMutableBytes {
                unsafe $0.storeBytes(of: number, toByteOffset: RowLayout.offset(ofSlot: slot), as: Int64.self)
            }
        }
        return try unsafe bytes.withUnsafeBytes { try unsafe put($0, row.reference, cursor, flags) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, _ reference: Int64, _ cursor: Cursor, _ flags: Int32) throws -> Bool {
        let checksum = unsafe RowChecksum.checksum(of: bytes)
        return try unsafe withUnsafeBytes(of: reference) { key in
            guard try unsafe cursor.put(key, bytes, flags | MDB_RESERVE) else { return false }
            guard let target = unsafe cursor.value.mv_data, let source = bytes.baseAddress else { return false }
            unsafe memcpy(target, source, bytes.count)
            unsafe target.storeBytes(of: checksum, toByteOffset: 20, as: UInt32.self)
            return true
        }
    }
}
