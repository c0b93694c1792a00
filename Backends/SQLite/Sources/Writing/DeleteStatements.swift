import StrataModel
import StrataSQL
import StrataStore

/// The statements that delete rows of one entity, and their links.
struct DeleteStatements {
    let row: Statement
    let links: [Statement]
    /// What notes the files of external values that go.
    let droppers: [ExternalDropper]

    init(_ entity: EntityDescription, _ table: EntityTable, _ store: SQLiteStore, _ connection: Connection) throws {
        // The optimistic lock is in the condition.
        let sql = SQLText("DELETE FROM \(identifier: table.name) WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) & 4294967295 = ?2")
        row = try connection.prepare(sql.text, persistent: true)
        // DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1
        links = try store.schema.links(of: entity, in: store.model).map { join, side in
            let sql = SQLText("DELETE FROM \(table: join.name) WHERE \(identifier: join.column(side)) = ?1")
            return try connection.prepare(sql.text, persistent: true)
        }
        let columns = Set(table.columns(of: entity.index)).map { table.columns[$0] }.filter { $0.isExternal && $0.isPresent }
        droppers = columns.map { ExternalDropper(table, $0) }
    }
}
