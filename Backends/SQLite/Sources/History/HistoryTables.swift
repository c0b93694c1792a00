import StrataSQL
public import StrataStore
import Synchronization

/// The tables of a store's history: Strata's own one, or those of Core Data.
enum HistoryTables: Sendable {
    case own
    case coreData(CoreDataHistoryColumns)

    /// Returns the tables of a database; Core Data's where there are both, as programs with Core Data write to these alone.
    static func existing(_ connection: Connection) throws -> HistoryTables? {
        if try hasCoreDataTables(connection) { return .coreData(try CoreDataHistoryColumns(connection)) }
        let statement = try connection.statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'STRATA_HISTORY'")
        defer { statement.reset() }
        return try statement.step(.fetch) ? .own : nil
    }

    static func hasCoreDataTables(_ connection: Connection) throws -> Bool {
        let statement = try connection.statement(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('ACHANGE', 'ATRANSACTION')")
        defer { statement.reset() }
        return try statement.step(.fetch) && statement.integer(0) == 2
    }

    /// The greatest number of attributes of an entity of a store that are preserved on deletion.
    fileprivate static func tombstones(of store: SQLiteStore) -> Int {
        store.model.entities.map { $0.tombstones(store.model).count }.max() ?? 0
    }

    /// Creates the tables that the store's driver prefers.
    fileprivate static func create(of store: SQLiteStore, _ connection: Connection) throws -> HistoryTables {
        // The names in transactions before a migration are converted when they are read, and have no numbers in Core Data's tables.
        let metadata = try MetadataTable.read(connection)
        let isMigrated = metadata.userInfo[StoreMetadata.historyMigrationsKey] != nil
        guard store.historyState.prefersCoreDataTables, !isMigrated, !metadata.keepsHistoryValues else {
            try HistoryTable.create(connection)
            return .own
        }
        try CoreDataHistoryTables(connection: connection, operation: .save).create(tombstones: tombstones(of: store))
        return .coreData(try CoreDataHistoryColumns(connection))
    }
}

extension SQLiteStore {
    public func history(_ query: HistoryQuery) throws -> [HistoryRecord] {
        try withConnection { connection in
            try connection.beginReading()
            defer { connection.endReading() }
            let version = try connection.schemaVersion()
            let known = historyState.tables(at: version)
            let tables = try known ?? HistoryTables.existing(connection)
            if known == nil, let tables { historyState.note(tables, at: version) }
            switch tables {
            case .own: return try HistoryTable.records(query, connection)
            case .coreData(let columns):
                let reader = CoreDataHistoryReader(self, connection, columns)
                return try HistoryTable.checkingColumns(connection) { try reader.records(query) }
            case nil: return []
            }
        }
    }

    /// Returns metadata with the key of a history, where the store has Core Data's tables, which hold no before-images.
    func withHistory(_ metadata: StoreMetadata) -> StoreMetadata {
        guard historyState.hasCoreDataTables.load(ordering: .relaxed) else { return metadata }
        var metadata = metadata
        metadata.keepsHistoryValues = false
        if !metadata.keepsHistory { metadata.userInfo[StoreMetadata.historyKey] = MetadataCoding.hasTables }
        return metadata
    }

    /// Returns the form of an entity's changes in Core Data's tables; `nil` where the store does not have the entity.
    func historyEntity(_ entity: EntityDescription) -> CoreDataHistoryEntity? {
        historyState.entities.withLock { known in
            if let found = known[entity.index] { return found }
            let found = CoreDataHistoryEntity(entity, schema, model)
            known[entity.index] = found
            return found
        }
    }
}

extension SQLiteTransaction {
    func append(_ record: HistoryRecord) throws -> Int64 {
        let tables = try tablesOfHistory(adding: record.body.count)
        return try noticingFullDisk {
            switch tables {
            case .own:
                let number = try HistoryTable.append(record, after: progress.lastHistoryNumber, connection)
                progress.lastHistoryNumber = number
                return number
            case .coreData(let columns):
                return try HistoryTable.checkingColumns(connection) {
                    try CoreDataHistoryWriter(store, connection, columns).append(record)
                }
            }
        }
    }

    func deleteHistory(through mark: HistoryRecord) throws {
        let tables = try tablesOfHistory(adding: 0)
        try noticingFullDisk {
            switch tables {
            case .own: try HistoryTable.delete(through: mark, connection)
            case .coreData:
                try HistoryTable.checkingColumns(connection) {
                    try CoreDataHistoryTables(connection: connection, operation: .save).delete(through: mark.number)
                }
            }
        }
    }

    func replaceHistory(by mark: HistoryRecord) throws {
        let tables = try tablesOfHistory(adding: 0)
        progress.mayChangeSchema = true
        try noticingFullDisk {
            switch tables {
            case .own:
                try HistoryTable.replace(by: mark, connection)
                progress.lastHistoryNumber = mark.number
                progress.historyTables = .own
            case .coreData:
                let tables = CoreDataHistoryTables(connection: connection, operation: .save)
                try tables.replace(by: mark, tombstones: HistoryTables.tombstones(of: store))
                progress.historyTables = .coreData(try CoreDataHistoryColumns(connection))
            }
        }
    }

    /// Returns the tables of the history, which are created where they are missing.
    func tablesOfHistory(adding byteCount: Int) throws -> HistoryTables {
        try willChangeHistory(byteCount)
        let version = store.writerState.schemaVersion.withLock { $0 }
        if let known = progress.historyTables ?? store.historyState.tables(at: version) { return known }
        let tables = try noticingFullDisk { try HistoryTables.existing(connection) ?? .create(of: store, connection) }
        (progress.historyTables, progress.mayChangeSchema) = (tables, true)
        return tables
    }
}
