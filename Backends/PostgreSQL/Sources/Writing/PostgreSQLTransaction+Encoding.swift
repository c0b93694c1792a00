import StrataEngine
import StrataSQL

extension PostgreSQLTransaction {
    /// Appends a slot's content as one field of the binary format.
    ///
    /// - Throws: `StoreError` with `wrongValue` for a text that contains NUL, which the server cannot store; `corrupt` for a value
    ///   that could not be read.
    func put(_ slot: Slot, of row: Row, _ column: Column, to buffer: inout BinaryBuffer) throws {
        let kind = column.kind
        if row.isNull(slot) {
            if kind.isVariable { try ExternalStorage.requireAvailable(row, slot, for: .save) }
            return buffer.putNull()
        }
        switch kind {
        case .integer, .reference, .order, .double, .float, .date: buffer.put(field: row.rawWord(slot))
        case .boolean: buffer.put(field: UInt8(row.rawWord(slot) == 0 ? 0 : 1))
        case .entity:
            let entity = EntityIndex(rawValue: Int(truncatingIfNeeded: row.integer(slot) ?? -1))
            let number = schema.numbers.typedIndices().contains(entity) ? schema.numbers[entity] : 0
            buffer.put(field: Int32(truncatingIfNeeded: number))
        case .decimal:
            guard let bytes = unsafe row.bytes(slot), let number = unsafe NumericText.binary(bytes) else {
                throw refusal("malformed decimal number", row, column)
            }
            buffer.put(field: number)
        case .string, .uri:
            guard let bytes = unsafe row.bytes(slot) else { return buffer.putNull() }
            if unsafe bytes.contains(0) { throw refusal("a text of PostgreSQL's cannot hold a NUL", row, column) }
            try unsafe put(bytes, row, column, &buffer)
        case .uuid, .binary, .transformable:
            guard let bytes = unsafe row.bytes(slot) else { return buffer.putNull() }
            try unsafe put(bytes, row, column, &buffer)
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, _ row: Row, _ column: Column, _ buffer: inout BinaryBuffer) throws {
        // Half the maximum size of a message: a statement has other values, too.
        guard bytes.count < 1 << 29 else {
            throw StoreError(
                .tooLarge, .save, "a value of \(bytes.count) bytes does not fit into a statement",
                entity: model.entities[row.entityIndex].name, key: column.property)
        }
        unsafe buffer.put(field: bytes)
    }

    private func refusal(_ message: String, _ row: Row, _ column: Column) -> StoreError {
        StoreError(.wrongValue, .save, message, entity: model.entities[row.entityIndex].name, key: column.property)
    }
}
