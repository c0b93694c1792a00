import StrataSQL

/// Packs result rows of an entity table into rows: maps columns to slots, for each entity in the table.
final class RowDecoder: Sendable {
    private let mapping: RowMapping
    private let schema: StoreSchema
    private let table: String
    private let types: [ColumnType?]
    /// The statement for the row of the reference 0, which is bound to another.
    private let selection: SQLText

    init(_ table: EntityTable, entities: Range<EntityIndex>, _ model: ManagedObjectModel, _ schema: StoreSchema) {
        self.table = table.name.name
        self.schema = schema
        let mapping = RowMapping(table, entities: entities, of: model)
        var types = ColumnType.identity + [ColumnType?](repeating: nil, count: max(0, mapping.width - ColumnType.identity.count))
        for field in entities.flatMap({ mapping.entity(ofNumber: Int64(table.number(of: $0)))?.fields ?? [] }) {
            types[field.index] = ColumnType(selected: field.kind)
        }
        (self.mapping, self.types) = (mapping, types)
        // For an array of one element, the server plans each time anew, as its generic plan assumes more.
        selection = "SELECT \(mapping.selection) FROM \(table.name) t0 WHERE \(column: EntityTable.id) = \(bind: .bigint(0))"
    }

    /// The columns to select of the table `t0`.
    var columns: SQLText { mapping.selection }
    /// The number of a row's columns in a result.
    var width: Int { mapping.width }

    /// Returns the statement that selects the row of a reference.
    func row(_ reference: Int64) -> SQLText { selection.binding([.bigint(reference)]) }

    /// Returns the rows of a result, in its order.
    ///
    /// - Throws: `StoreError` with `corrupt` where a row is of an unknown entity, or a value is not of its column's type.
    func rows(_ result: ResultTable, _ operation: StoreError.Operation) throws -> [Row] {
        try result.require(types, of: table, operation)
        // Each row keeps its whole chunk alive, so few rows get a small one.
        var writer = RowWriter(chunkSize: result.count == 1 ? 1024 : result.count < 64 ? 16 << 10 : 256 << 10)
        var rows: [Row] = []
        rows.reserveCapacity(result.count)
        for number in 0..<result.count { rows.append(try row(number, result, &writer, operation)) }
        return rows
    }

    private func row(_ row: Int, _ result: ResultTable, _ writer: inout RowWriter, _ operation: StoreError.Operation) throws -> Row {
        guard let reference = result.integer(row, 0), let number = result.number(row, 1, as: Int32.self),
            let version = result.integer(row, 2).flatMap({ UInt32(exactly: $0) })
        else { throw corrupt("a row of the table \(table) has no reference, or no version", operation) }
        guard let entity = mapping.entity(ofNumber: Int64(number)) else {
            throw corrupt("a row of the table \(table) is of an entity numbered \(number)", operation)
        }
        writer.begin(entity.layout, entityIndex: entity.index, reference: reference, version: version)
        for field in entity.fields {
            guard let bytes = unsafe result.bytes(row, field.index) else { continue }
            guard unsafe fill(field, bytes, &writer) else { throw result.wrongType(field.index, of: table, operation) }
        }
        return writer.finish()
    }

    /// - Returns: Whether the bytes are a value of the slot's kind.
    @inline(__always)
    private func fill(_ field: RowMapping.Field, _ bytes: UnsafeRawBufferPointer, _ writer: inout RowWriter) -> Bool {
        func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            unsafe bytes.count == MemoryLayout<Number>.size ? Number(bigEndian: bytes.loadUnaligned(as: Number.self)) : nil
        }
        switch field.kind {
        case .integer, .reference, .order:
            guard let number = number(Int64.self) else { return false }
            writer.set(integer: number, at: field.slot)
        case .boolean:
            guard let number = number(UInt8.self) else { return false }
            writer.set(integer: number == 0 ? 0 : 1, at: field.slot)
        case .entity:
            guard let number = number(Int32.self) else { return false }
            if let entity = schema.entity(ofNumber: Int64(number)) { writer.set(integer: Int64(entity.rawValue), at: field.slot) }
        case .double, .float, .date:
            guard let bits = number(UInt64.self) else { return false }
            writer.set(double: Double(bitPattern: bits), at: field.slot)
        case .decimal:
            let text = unsafe NumericText.shortest(bytes)
            guard unsafe NumericText.isDecimal(text) else { return false }
            unsafe writer.set(bytes: text, at: field.slot)
        case .uuid:
            guard bytes.count == 16 else { return false }
            unsafe writer.set(bytes: bytes, at: field.slot)
        case .string, .uri, .binary, .transformable: unsafe writer.set(bytes: bytes, at: field.slot)
        }
        return true
    }

    private func corrupt(_ message: String, _ operation: StoreError.Operation) -> StoreError { StoreError(.corrupt, operation, message) }
}
