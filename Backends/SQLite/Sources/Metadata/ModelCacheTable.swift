import StrataModel
import StrataModelFiles
import StrataSQL
import StrataStore

/// Reads and writes the row of `Z_MODELCACHE`: the model of the store's version hashes, archived and compressed.
///
/// Core Data migrates its own stores from the model in this table.
enum ModelCacheTable {
    /// The name of the table, which Core Data's oldest stores lack.
    static let name = "Z_MODELCACHE"
    static let creation: SQLText = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    /// Replaces the row; leaves the table empty where the model cannot be archived in Core Data's form.
    ///
    /// An earlier version of Strata may have hashed, and compiled, the entities of a configuration alone.
    static func write(
        _ model: ManagedObjectModel, _ metadata: StoreMetadata, _ connection: Connection, _ operation: StoreError.Operation
    ) throws {
        let sql: SQLText = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'"
        if try connection.integer(sql, operation) == nil { try connection.execute(creation, operation) }
        try connection.execute("DELETE FROM Z_MODELCACHE", operation)
        guard metadata.versionHashes.count == model.entities.count, let bytes = model.modelCache() else { return }
        try connection.execute("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (\(bind: .blob(bytes)))", operation)
    }

    /// Returns the model; `nil` where there is no table, or its content cannot be read: the store does not depend on this copy.
    static func model(_ connection: Connection, _ operation: StoreError.Operation) throws -> ManagedObjectModel? {
        guard try SchemaInspector(connection).hasTable(name) else { return nil }
        let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try statement.step(operation), let bytes = unsafe statement.blobBytes(0) else { return nil }
        return try? ModelFile(modelCache: unsafe Array(bytes)).model()
    }
}
