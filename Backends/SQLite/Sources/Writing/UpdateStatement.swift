import StrataModel
import StrataSQL
import StrataStore

/// The statement that writes the same slots of rows of one entity over the versions expected, with what belongs to it.
struct UpdateStatement {
    struct Shape: Hashable {
        let entity: EntityIndex
        let slots: [Slot]
    }

    let statement: Statement
    let binder: RowBinder
    /// What notes the files of external values that are overwritten.
    let droppers: [ExternalDropper]

    /// `UPDATE ZPERSON SET ZAGE = ?, Z_OPT = ? WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) & 4294967295 = ?`: the optimistic lock is in the condition.
    init(_ shape: Shape, _ table: EntityTable, _ store: SQLiteStore, _ connection: Connection) throws {
        binder = try RowBinder(shape.slots, of: store.model.entities[shape.entity], table, store)
        let columns = binder.columns.map { SQLText("\(identifier: $0) = ?") } + ["Z_OPT = ?"]
        let sql: SQLText = "UPDATE \(table: table.name) SET \(columns) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) & 4294967295 = ?"
        statement = try connection.prepare(sql.text, persistent: true)
        droppers = shape.slots.map { table.column($0, of: shape.entity) }.filter(\.isExternal).map { ExternalDropper(table, $0) }
    }

    func bind(_ update: RowUpdate, _ external: ExternalChanges) throws {
        let row = update.row
        try binder.bind(row, to: statement, from: 1, external)
        let count = binder.columns.count
        statement.bind(Int64(row.version), at: count + 1)
        statement.bind(row.reference, at: count + 2)
        statement.bind(Int64(update.expectedVersion), at: count + 3)
    }
}
