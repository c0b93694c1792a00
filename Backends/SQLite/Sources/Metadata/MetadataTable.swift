import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataModelFiles
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

    /// Replaces the metadata of a store, and the model cache unless the hashes are those of an earlier version of Strata.
    ///
    /// Core Data expects other columns for its hashes than those named by the paths of composite attributes: such a
    /// store keeps the earlier hashes until a migration renames the columns.
    static func write(_ metadata: StoreMetadata, _ connection: Connection, of store: SQLiteStore) throws {
        let stored = try read(connection)
        var metadata = metadata
        if metadata.userInfo[StoreMetadata.historyKey] == MetadataCoding.hasTables { metadata.userInfo[StoreMetadata.historyKey] = nil }
        if stored.hasEarlierHashes, store.schema.namesPaths {
            metadata.versionHashes = stored.versionHashes
            for key in [StoreMetadata.writerKey, StoreMetadata.modelKey, StoreMetadata.layoutKey] {
                metadata.userInfo[key] = stored.userInfo[key]
            }
        }
        if stored.versionHashes != metadata.versionHashes {
            try ModelCacheTable.write(store.model, metadata, connection, .save)
        }
        if metadata != stored { try write(metadata, connection) }
    }

    /// Replaces the row, within the open transaction.
    static func write(_ metadata: StoreMetadata, _ connection: Connection) throws {
        let values: [SQLText] = ["1", "\(bind: .text(metadata.storeID.rawValue))", "\(bind: .blob(MetadataCoding.encode(metadata)))"]
        try connection.execute("INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (\(values))", .save)
    }
}

/// Converts metadata to the property list that Core Data keeps in `Z_METADATA`, and back.
enum MetadataCoding {
    /// The value of the key of a history that the tables alone identify; it is not stored.
    static let hasTables = PropertyListValue.bool(true)
    private static let typeKey = "NSStoreType"
    private static let hashesKey = "NSStoreModelVersionHashes"
    private static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    private static let identifiersKey = "NSStoreModelVersionIdentifiers"
    private static let frameworkKey = "NSPersistenceFrameworkVersion"
    private static let vacuumKey = "_NSAutoVacuumLevel"

    /// The entries of a new store beside its hashes, which Core Data expects.
    private static let constants: [String: PropertyListValue] = [
        hashesVersionKey: .int(3), frameworkKey: .int(1344), vacuumKey: .string("2"),
    ]

    static func encode(_ metadata: StoreMetadata) -> [UInt8] {
        var list = metadata.userInfo
        list[typeKey] = .string(StoreType.sqlite.rawValue)
        list[hashesKey] = .dictionary(metadata.versionHashes.mapValues { .data(Data($0)) })
        list[identifiersKey] = .array(metadata.versionIdentifiers.map { .string($0) })
        let isOurs = list[StoreMetadata.writerKey] != nil
        if list[StoreMetadata.historyKey] == hasTables { list[StoreMetadata.historyKey] = nil }
        if isOurs || list[hashesVersionKey] == nil { list.merge(constants) { own, _ in own } }
        // Older versions of Core Data wrote no digest, and a store keeps its version.
        for (key, digest) in metadata.digests where isOurs || list[key] != nil { list[key] = digest }
        return PropertyListValue.dictionary(list).bytes
    }

    /// Returns the metadata of a property list; without hashes where there is no list.
    ///
    /// - Throws: `StoreError` with `corrupt`.
    static func decode(_ bytes: UnsafeRawBufferPointer?, storeID: StoreID, path: String) throws -> StoreMetadata {
        var metadata = StoreMetadata(type: .sqlite, storeID: storeID, versionHashes: [:])
        metadata.holdsWholeModel = true
        guard let bytes = unsafe bytes else { return metadata }
        var list: [String: PropertyListValue]
        do { list = try unsafe values(bytes) } catch {
            throw StoreError(.corrupt, .open, "the metadata are no property list", path: path, underlying: error)
        }
        list[typeKey] = nil
        if let value = list.removeValue(forKey: hashesKey) {
            func malformed(_ entity: String?) -> StoreError {
                StoreError(.corrupt, .open, "the version hashes in the metadata are malformed", path: path, entity: entity)
            }
            guard case .dictionary(let hashes) = value else { throw malformed(nil) }
            for (name, hash) in hashes {
                guard case .data(let bytes) = hash else { throw malformed(name) }
                metadata.versionHashes[name] = Array(bytes)
            }
        }
        if case .array(let identifiers)? = list.removeValue(forKey: identifiersKey) {
            metadata.versionIdentifiers = identifiers.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        if list[StoreMetadata.writerKey] != nil {
            for (key, value) in constants where list[key] == value { list[key] = nil }
            list[StoreMetadata.digestKey] = nil
            list[StoreMetadata.checksumKey] = nil
        }
        metadata.userInfo = list
        return metadata
    }

    private static func values(_ bytes: UnsafeRawBufferPointer) throws -> [String: PropertyListValue] {
        guard let value = try unsafe BinaryPropertyList.value(bytes, nesting: StoreMetadata.greatestNestingRead + 1) else {
            // Another of the formats.
            return try unsafe PropertyListDecoder().decode([String: PropertyListValue].self, from: Data(bytes))
        }
        guard case .dictionary(let values) = value else { throw MalformedBytes() }
        return values
    }
}
