import StrataModel
import StrataStore
import Testing

@testable import StrataSQLite

@Suite("Making tables anew")
struct RebuildingTests {
    // The setting stayed on, and later renamings on the connection left views and triggers as they were.
    @Test("How SQLite renames tables is as it was afterwards")
    func setting() throws {
        let sandbox = try Sandbox()
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel { Entity("Thing") { Attribute("code", type) } }
        }
        let (old, new) = (try model(.uuid), try model(.string))
        let store = try #require(try open(sandbox.path(), old) as? SQLiteStore)
        let transaction = try #require(try store.beginWrite(TransactionOrigin()) as? SQLiteTransaction)
        func setting() throws -> Int64 {
            let statement = try transaction.connection.prepare("PRAGMA legacy_alter_table")
            return try statement.step(.migrate) ? statement.integer(0) : -1
        }
        let before = try setting()
        let routes = try MigrationRoutes(MappingModel.inferred(from: old, to: new), lastReferences: [:], scope: .hierarchy)
        _ = try TableRebuilding(
            transaction: transaction,
            migration: StoreMigration(
                routes: routes, model: new, configuration: nil, metadata: try transaction.metadata(),
                lastReferences: routes.lastReferences, batches: { _, _ in }), writer: SchemaWriter(new, configuration: nil)
        ).run()
        #expect(try setting() == before)
        transaction.rollback()
        #expect(try setting() == before)
        try store.close()
    }
}
