import StrataEngine
import StrataFiles
import StrataModel
public import StrataStore

extension PostgreSQLDriver: DecidingStoreDriver {
    /// - Throws: As `DecidingStoreDriver.hasDecided(_:)`; `StoreError` with `locked` where a commit is under way for too long.
    public func hasDecided(_ save: PreparedSave) throws -> Bool {
        var options = StoreOptions()
        options.timeout = Deadline(after: options.timeout).remaining
        let (server, connection) = try connect(save.decidingStore, .resolve, options)
        try server.requireStore(connection, .resolve)
        let table = MetadataTable(schema: server.schema)
        let beginning = table.beginning("READ COMMITTED, READ WRITE", after: [table.writing])
        let decidingStore = try connection.execute(beginning, .resolve).result(beginning.count - 1, .resolve)
        guard decidingStore.text(0, 1) == save.decidingStoreID.rawValue else {
            throw StoreError(.replaced, .resolve, "the store that decides the save was replaced by another one", recovery: .reopen)
        }
        // What is inserted to ask goes with the connection.
        return try PreparedTable(schema: server.schema, address: nil).hasDecided(save, connection)
    }
}
