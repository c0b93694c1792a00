import StrataModel
import StrataStore

/// Reads and writes the row of `Z_METADATA`.
enum MetadataTable {
    /// - Throws: `StoreError` with `foreign` where there is no such table, `corrupt` where there is no row.
    static func read(_ connection: Connection) throws -> StoreMetadata {
        let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        defer { statement.reset() }
        guard try statement.step(.open), let storeID = statement.text(0) else {
            throw StoreError(.corrupt, .open, "the store has no metadata", path: connection.path)
        }
        return try unsafe MetadataCoding.decode(statement.blobBytes(1), storeID: StoreID(storeID), path: connection.path)
    }

    /// Replaces the row, within the transaction that is open.
    static func write(_ metadata: StoreMetadata, _ connection: Connection) throws {
        var sql = SQLText("INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ")
        sql.bind(.text(metadata.storeID.rawValue))
        sql.add(", ")
        sql.bind(.blob(try MetadataCoding.encode(metadata)))
        sql.add(")")
        try connection.execute(sql, .save)
    }
}
