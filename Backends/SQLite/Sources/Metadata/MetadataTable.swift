import StrataModel
import StrataSQL
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
        let bytes = unsafe statement.blobBytes(1)
        if let bytes = unsafe bytes, let last = connection.metadata, last.metadata.storeID.rawValue == storeID,
            unsafe last.bytes.elementsEqual(bytes)
        {
            return last.metadata
        }
        let metadata = try unsafe MetadataCoding.decode(bytes, storeID: StoreID(storeID), path: connection.path)
        if let bytes = unsafe bytes { connection.metadata = unsafe (Array(bytes), metadata) }
        return metadata
    }

    /// Replaces the row, within the transaction that is open.
    static func write(_ metadata: StoreMetadata, _ connection: Connection) throws {
        let values: [SQLText] = ["1", "\(bind: .text(metadata.storeID.rawValue))", "\(bind: .blob(MetadataCoding.encode(metadata)))"]
        try connection.execute("INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (\(values))", .save)
    }
}
