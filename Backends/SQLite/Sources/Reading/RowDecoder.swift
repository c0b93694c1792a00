import CStrataSQLite
import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataSQL
import StrataStore

/// Packs result rows of an entity table: which column goes to which slot, for each entity that can come up.
final class RowDecoder: Sendable {
    /// One column of a result that goes to a slot.
    private struct Transfer {
        let column: Int32
        let slot: Slot
        let kind: SlotKind
        let isExternal: Bool
    }

    /// What is done for rows of one entity.
    private struct EntityPlan {
        let layout: RowLayout
        let transfers: [Transfer]
    }

    /// The columns to select of the table `t0`.
    let selection: SQLText
    private let table: EntityTable
    private let first: EntityIndex
    /// Selects the rows of the table, which a condition follows: `SELECT t0.Z_PK, … FROM ZPERSON t0`.
    var rows: SQLText { "SELECT \(selection) FROM \(table: table.name) t0" }
    private let plans: [EntityPlan]
    private let entityOfNumber: [EntityIndex?]
    private let model: ManagedObjectModel
    private let external: ExternalDataDirectory
    private let path: String

    /// A decoder for rows of some entities of a table.
    init(
        _ table: EntityTable, entities: Range<EntityIndex>, model: ManagedObjectModel, entityOfNumber: [EntityIndex?],
        external: ExternalDataDirectory,
        path: String
    ) {
        self.table = table
        self.model = model
        self.entityOfNumber = entityOfNumber
        self.external = external
        self.path = path
        first = entities.lowerBound
        let mapping = RowMapping(table, entities, model)
        selection = mapping.selection
        plans = zip(entities, mapping.fields).map { entity, fields in
            let transfers = fields.map { field in
                Transfer(
                    column: Int32(truncatingIfNeeded: field.index), slot: field.slot, kind: field.column.kind,
                    isExternal: field.column.isExternal)
            }
            return EntityPlan(layout: model.entities[entity].layout, transfers: transfers)
        }
    }

    /// Packs the row that a statement is at.
    ///
    /// - Throws: `StrayRows.Found` for a row that is of none of the entities.
    func row(at statement: Statement, _ writer: inout RowWriter) throws -> Row {
        guard let entity = table.entity(ofNumber: statement.integer(1)), case let index = first.distance(to: entity),
            plans.indices.contains(index)
        else { throw StrayRows.Found() }
        let plan = plans[index]
        writer.begin(
            plan.layout, entityIndex: entity, reference: statement.integer(0), version: UInt32(truncatingIfNeeded: statement.integer(2)))
        for transfer in plan.transfers {
            let column = transfer.column
            switch transfer.kind {
            case .integer, .reference, .order:
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { writer.set(integer: number, at: transfer.slot) }
            case .boolean:
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { writer.set(integer: number == 0 ? 0 : 1, at: transfer.slot) }
            case .double, .float, .date:
                let number = statement.double(column)
                if number != 0 {
                    writer.set(double: number, at: transfer.slot)
                } else {
                    let type = statement.type(column)
                    if type == SQLITE_TEXT {
                        writer.set(double: .nan, at: transfer.slot)
                    } else if type != SQLITE_NULL {
                        writer.set(double: number, at: transfer.slot)
                    }
                }
            case .string, .uri:
                if let bytes = unsafe statement.textBytes(column) { unsafe writer.set(bytes: bytes, at: transfer.slot) }
            case .uuid:
                guard let bytes = unsafe statement.blobBytes(column) else { continue }
                guard bytes.count == 16 else {
                    throw corrupt("a UUID in the table \(table.name) has \(bytes.count) bytes")
                }
                unsafe writer.set(bytes: bytes, at: transfer.slot)
            case .binary, .transformable:
                let isText = statement.type(column) == SQLITE_TEXT
                guard let bytes = unsafe statement.blobBytes(column) else { continue }
                if isText, let name = unsafe LostName.name(in: bytes) {
                    try ExternalStorage.fill(transfer.slot, from: name, in: external, &writer, .fetch)
                } else if transfer.isExternal {
                    try unsafe setTagged(bytes, at: transfer.slot, &writer)
                } else {
                    unsafe writer.set(bytes: bytes, at: transfer.slot)
                }
            case .decimal: DecimalColumn.read(statement, column, transfer.slot, &writer)
            case .entity:
                let number = Int(truncatingIfNeeded: statement.integer(column))
                if entityOfNumber.indices.contains(number), let entity = entityOfNumber[number] {
                    writer.set(integer: Int64(entity.rawValue), at: transfer.slot)
                }
            }
        }
        return writer.finish()
    }

    private func setTagged(_ bytes: UnsafeRawBufferPointer, at slot: Slot, _ writer: inout RowWriter) throws {
        switch unsafe ExternalTag(bytes) {
        case .inline(let rest): unsafe writer.set(bytes: rest, at: slot)
        case .bare: unsafe writer.set(bytes: bytes, at: slot)
        case .file(let name): try ExternalStorage.fill(slot, from: name, in: external, &writer, .fetch)
        }
    }

    private func corrupt(_ message: String) -> StoreError {
        StoreError(.corrupt, .fetch, message, path: path, entity: model.entities[table.root].name)
    }
}
