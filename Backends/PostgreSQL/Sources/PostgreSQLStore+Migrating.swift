import StrataEngine
import StrataFiles
import StrataSQL
import StrataStore

extension PostgreSQLStore {
    /// Waits for all who write, other programs too, and has others wait; who reads goes on until the tables are replaced.
    func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.migrate)
        if isReadOnly { throw StoreError(.readOnly, .migrate, "the store was opened for reading only") }
        let tables = schema.tables.values.map(\.name) + schema.joins.compactMap { $0?.name }
        let locks = [metadataTable.migrating(tables.sorted { $0.name < $1.name })]
        let beginning = metadataTable.beginning("REPEATABLE READ, READ WRITE", after: locks)
        return try gate.enter(.migration, until: Deadline(after: pool.timeout), .migrate) {
            PostgreSQLTransaction(self, try pool.take(.migrate) { _ = try begin(beginning, $0, .migrate) }, origin, .migration)
        }
    }
}
