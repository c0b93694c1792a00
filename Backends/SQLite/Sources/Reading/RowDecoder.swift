import CStrataSQLite
import StrataEngine
import StrataSQL

/// Packs result rows of an entity table into rows: maps columns to slots, for each entity in the table.
final class RowDecoder: Sendable {
    private let mapping: RowMapping
    private let table: EntityTable
    private let schema: StoreSchema
    private let model: ManagedObjectModel
    private let external: ExternalDataDirectory
    private let path: String

    /// Creates a decoder for rows of some entities of a table of a store.
    init(_ table: EntityTable, entities: Range<EntityIndex>, of store: SQLiteStore) {
        self.table = table
        model = store.model
        schema = store.schema
        external = store.external
        path = store.filePath
        mapping = RowMapping(table, entities: entities, of: model)
    }

    /// The columns to select of the table `t0`.
    var selection: SQLText { mapping.selection }
    /// Selects the rows of the table, without a condition: `SELECT t0.Z_PK, … FROM ZPERSON t0`.
    var rows: SQLText { "SELECT \(selection) FROM \(table: table.name) t0" }

    /// Packs the current row of a statement.
    ///
    /// - Throws: `OrphanRows.Found` for a row of another entity.
    func row(at statement: Statement, _ writer: inout RowWriter) throws -> Row {
        guard let entity = mapping.entity(ofNumber: statement.integer(1)) else { throw OrphanRows.Found() }
        writer.begin(
            entity.layout, entityIndex: entity.index, reference: statement.integer(0),
            version: UInt32(truncatingIfNeeded: statement.integer(2)))
        for field in entity.fields {
            let column = Int32(truncatingIfNeeded: field.index)
            switch field.kind {
            case .integer, .reference, .order:
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { writer.set(integer: number, at: field.slot) }
            case .boolean:
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { writer.set(integer: number == 0 ? 0 : 1, at: field.slot) }
            case .double, .float, .date:
                let number = statement.double(column)
                if number != 0 {
                    writer.set(double: number, at: field.slot)
                } else {
                    let type = statement.type(column)
                    if type == SQLITE_TEXT {
                        writer.set(double: .nan, at: field.slot)
                    } else if type != SQLITE_NULL {
                        writer.set(double: number, at: field.slot)
                    }
                }
            case .string, .uri:
                if let bytes = unsafe statement.textBytes(column) { unsafe writer.set(bytes: bytes, at: field.slot) }
            case .uuid:
                guard let bytes = unsafe statement.blobBytes(column) else { continue }
                guard bytes.count == 16 else {
                    throw corrupt("a UUID in the table \(table.name) has \(bytes.count) bytes")
                }
                unsafe writer.set(bytes: bytes, at: field.slot)
            case .binary, .transformable:
                let isText = statement.type(column) == SQLITE_TEXT
                guard let bytes = unsafe statement.blobBytes(column) else { continue }
                if isText, let name = unsafe ExternalTag.fileName(in: bytes) {
                    try ExternalStorage.fill(field.slot, from: name, in: external, into: &writer, .fetch)
                } else if field.isExternal {
                    try unsafe setTagged(bytes, at: field.slot, &writer)
                } else {
                    unsafe writer.set(bytes: bytes, at: field.slot)
                }
            case .decimal: DecimalColumn.read(statement, column, field.slot, &writer)
            case .entity:
                if let entity = schema.entity(ofNumber: statement.integer(column)) {
                    writer.set(integer: Int64(entity.rawValue), at: field.slot)
                }
            }
        }
        return writer.finish()
    }

    private func setTagged(_ bytes: UnsafeRawBufferPointer, at slot: Slot, _ writer: inout RowWriter) throws {
        switch unsafe ExternalTag(bytes) {
        case .inline(let rest): unsafe writer.set(bytes: rest, at: slot)
        case .bare: unsafe writer.set(bytes: bytes, at: slot)
        case .file(let name): try ExternalStorage.fill(slot, from: name, in: external, into: &writer, .fetch)
        }
    }

    private func corrupt(_ message: String) -> StoreError {
        StoreError(.corrupt, .fetch, message, path: path, entity: model.entities[table.root].name)
    }
}

/// Packs the rows of one result: into a small chunk while they are few, as each row keeps its whole chunk alive.
struct GrowingWriter {
    private var writer = RowWriter(forOneRowOf: 1024)
    private var count = 0

    @inline(__always)
    mutating func row(_ decoder: RowDecoder, _ statement: Statement) throws -> Row {
        count += 1
        if count == 8 { writer = RowWriter(chunkSize: 8 * 1024) }
        if count == 64 { writer = RowWriter(chunkSize: 64 * 1024) }
        return try decoder.row(at: statement, &writer)
    }
}
