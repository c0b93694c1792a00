import CStrataSQLite
import StrataModel
import StrataSQL
import StrataStore
import StrataText

extension Connection {
    /// Looks whether tables of as many columns can be made.
    ///
    /// - Throws: `StoreError` with `unsupported` that names the entity whose tree has too many properties for one table.
    func requireRoom(for schema: StoreSchema, of model: ManagedObjectModel, _ operation: StoreError.Operation) throws {
        let most = Int(unsafe sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1))
        for (root, table) in schema.tables.sortedByKey() {
            let count = table.columns.count + EntityTable.ownColumns
            if count <= most { continue }
            let entity = model.entities[root].name
            throw StoreError(
                .unsupported, operation,
                "the entity \(entity) and its sub-entities take \(count) columns of one table; SQLite allows for \(most)", path: path,
                entity: entity)
        }
    }
}
