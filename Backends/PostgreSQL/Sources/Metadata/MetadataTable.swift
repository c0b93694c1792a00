import StrataEngine
import StrataSQL

/// Reads and writes the row with a store's metadata.
struct MetadataTable {
    /// The version of the layout that `FORMAT.md` describes.
    static let formatVersion: Int64 = 1

    let schema: String

    private var name: QualifiedName { table(StoreTables.metadata) }
    private func table(_ name: String) -> QualifiedName { QualifiedName(schema: schema, name: name) }

    /// The content of the row.
    struct Content {
        /// Grows with each migration to another version of the model.
        let generation: Int64
        let metadata: StoreMetadata
    }

    /// The statements that create the table, and those of the catalogue.
    var creation: SQLText {
        SQLText(
            """
            CREATE TABLE \(name) (singleton boolean PRIMARY KEY CHECK (singleton), format bigint NOT NULL, generation bigint NOT NULL, \
            store_id text NOT NULL, content bytea NOT NULL); CREATE TABLE \(table(StoreTables.entities)) \
            (number integer PRIMARY KEY, name text COLLATE "C" NOT NULL); \
            CREATE TABLE \(table(StoreTables.names)) \
            (role text COLLATE "C", entity text COLLATE "C", property text COLLATE "C", name text COLLATE "C" NOT NULL, \
            PRIMARY KEY (role, entity, property)); \(PreparedTable(schema: schema, address: nil).creation)\
            \(ChangeTable(schema: schema).creation)\(HistoryTable(schema: schema).creation)
            """)
    }

    /// Returns the statements that take a snapshot; the last of them returns the generation and the store's ID.
    ///
    /// - Parameters:
    ///   - first: Statements before the snapshot, such as locks: it shows what those that hold them commit.
    ///   - identity: The expected store: the last statement fails for another one, so that the caller need not wait for the results.
    func beginning(_ mode: StaticString, after first: [SQLText], requiring identity: StoreIdentity? = nil) -> [SQLText] {
        ["BEGIN ISOLATION LEVEL \(mode)"] + first + [identity?.requirement(name) ?? "SELECT generation, store_id FROM \(name)"]
    }

    // MARK: - Locks

    /// The lock of a reader, which keeps the tables from being replaced until its end.
    var reading: SQLText { locking([name], "ACCESS SHARE") }

    /// The lock of a writer, which waits for a migration before the snapshot, which would not show the migrated tables.
    var writing: SQLText { locking([name], "ROW SHARE") }

    /// Returns the lock of a migration, which waits for all writers of the tables, other programs included, and blocks new ones.
    func migrating(_ tables: [QualifiedName]) -> SQLText { locking([name] + tables, "EXCLUSIVE") }

    /// The lock for removing or replacing the store, which waits for all readers and writers and blocks new ones.
    var closing: SQLText { locking([name], "ACCESS EXCLUSIVE") }

    /// `LOCK TABLE "s"."strata_metadata", "s"."person" IN EXCLUSIVE MODE`.
    private func locking(_ tables: [QualifiedName], _ mode: StaticString) -> SQLText {
        SQLText("LOCK TABLE \(tables) IN \(mode) MODE")
    }

    // MARK: - The row

    /// - Throws: `StoreError` with `corrupt`, `unsupportedVersion`, `wrongType`.
    func read(_ connection: Connection, _ operation: StoreError.Operation) throws -> Content {
        let result = try answer(SQLText("SELECT format, generation, content FROM \(name)"), connection, operation)
        guard result.count == 1, let format = result.integer(0, 0), let generation = result.integer(0, 1) else {
            throw StoreError(.corrupt, operation, "the store has no metadata")
        }
        guard format == MetadataTable.formatVersion else {
            throw StoreError(.unsupportedVersion, operation, "the layout of the store is of version \(format)")
        }
        guard let bytes = unsafe result.bytes(0, 2) else { throw StoreError(.corrupt, operation, "the store has no metadata") }
        do {
            var reader = unsafe try ByteReader<UInt32>(sealed: bytes, as: UInt32.self)
            let metadata = try MetadataCodec<UInt32>(truth: .asTag).read(&reader)
            guard metadata.type == .postgreSQL else {
                throw StoreError(.wrongType, operation, "the store is of type \(metadata.type)")
            }
            return withExtendedLifetime(result) { Content(generation: generation, metadata: metadata) }
        } catch is MalformedBytes {
            throw StoreError(.corrupt, operation, "the metadata of the store are damaged")
        }
    }

    /// Returns the number of migrations of the store; `nil` where the row is missing.
    func generation(_ connection: Connection, _ operation: StoreError.Operation) throws -> Int64? {
        let result = try answer(SQLText("SELECT generation FROM \(name)"), connection, operation)
        return result.count == 1 ? result.integer(0, 0) : nil
    }

    /// - Throws: `StoreError` with `foreign` where the tables are not those of a store.
    private func answer(_ sql: SQLText, _ connection: Connection, _ operation: StoreError.Operation) throws -> ResultTable {
        do { return try connection.execute(sql, operation) } catch let error as StoreError {
            guard let state = (error.underlying as? PostgreSQLFailure)?.state, ["42703", "42P01"].contains(state) else { throw error }
            throw StoreError(.foreign, operation, "the schema \(schema) has tables that are not a store's", underlying: error)
        }
    }

    private static func bytes(_ metadata: StoreMetadata) throws -> [UInt8] {
        var writer = ByteWriter<UInt32>()
        try MetadataCodec<UInt32>(truth: .asTag).write(metadata, to: &writer)
        return writer.sealed(as: UInt32.self)
    }

    func insert(_ metadata: StoreMetadata, _ connection: Connection, generation: Int64, _ operation: StoreError.Operation) throws {
        let values: [SQLParameter] = [
            .bigint(MetadataTable.formatVersion), .bigint(generation), .text(metadata.storeID.rawValue),
            .bytea(try MetadataTable.bytes(metadata)),
        ]
        let row: SQLText = "true, \(values.map { "\(bind: $0)" })"
        try connection.insert(
            by: "INSERT INTO \(name) (singleton, format, generation, store_id, content) VALUES (\(row))", into: name, operation)
    }

    /// Replaces the metadata, within the open transaction.
    func update(_ metadata: StoreMetadata, _ connection: Connection, _ operation: StoreError.Operation) throws {
        let content = SQLParameter.bytea(try MetadataTable.bytes(metadata))
        let sql: SQLText = "UPDATE \(name) SET store_id = \(bind: .text(metadata.storeID.rawValue)), content = \(bind: content)"
        if try connection.execute(sql, operation).affected != 1 { throw StoreError.passedOver(name, operation) }
    }

    /// Replaces the metadata and the catalogue.
    ///
    /// The tables are truncated, so that an older snapshot finds them empty instead of reading the former content.
    func replace(
        with metadata: StoreMetadata, _ catalog: Catalog, _ connection: Connection, generation: Int64, _ operation: StoreError.Operation
    ) throws {
        let tables = [StoreTables.metadata, StoreTables.entities, StoreTables.names].map(table)
        try connection.run("TRUNCATE \(tables)", operation)
        try insert(metadata, connection, generation: generation, operation)
        try writeCatalog(catalog, connection, operation)
    }

    // MARK: - The catalogue

    func readCatalog(_ connection: Connection, _ operation: StoreError.Operation) throws -> Catalog {
        var catalog = Catalog()
        let entities = try answer("SELECT number, name FROM \(table(StoreTables.entities))", connection, operation)
        for row in 0..<entities.count {
            if let number = entities.number(row, 0, as: Int32.self), let name = entities.text(row, 1) {
                catalog.numbers[name] = Int(number)
            }
        }
        let names = try answer("SELECT role, entity, property, name FROM \(table(StoreTables.names))", connection, operation)
        for row in 0..<names.count {
            guard let role = names.text(row, 0).flatMap(Catalog.Key.Role.init), let entity = names.text(row, 1),
                let property = names.text(row, 2), let name = names.text(row, 3)
            else { continue }
            catalog.names[Catalog.Key(role: role, entity: entity, property: property)] = name
        }
        return catalog
    }

    func writeCatalog(_ catalog: Catalog, _ connection: Connection, _ operation: StoreError.Operation) throws {
        func array(_ texts: [String]) -> SQLText { "\(bind: ArrayValues(texts).parameter)" }
        func insert(_ count: Int, _ columns: SQLText, _ arrays: [SQLText], into name: String) throws {
            let sql: SQLText = "INSERT INTO \(table(name)) (\(columns)) SELECT * FROM unnest(\(arrays))"
            try connection.insert(count, by: sql, into: table(name), operation)
        }
        var numbers = ArrayValues(.integer)
        for number in catalog.numbers.values { numbers.append { $0.put(field: Int32(truncatingIfNeeded: number)) } }
        let entities = array(Array(catalog.numbers.keys))
        try insert(catalog.numbers.count, "number, name", ["\(bind: numbers.parameter)", entities], into: StoreTables.entities)
        let names = catalog.names.sorted { $0.value < $1.value }
        let columns = [names.map(\.key.role.rawValue), names.map(\.key.entity), names.map(\.key.property), names.map(\.value)]
        try insert(names.count, "role, entity, property, name", columns.map(array), into: StoreTables.names)
    }
}

/// The store and the generation that a store was opened with: another process may have replaced or migrated it since.
struct StoreIdentity {
    let id: StoreID
    /// Grows with each migration to another version of the model.
    let generation: Int64

    /// - Throws: `StoreError` with `corrupt`, `replaced`, `incompatibleModel` where the row differs.
    func check(_ generation: Int64?, _ id: String?, _ operation: StoreError.Operation) throws {
        guard let id else { throw Difference.missing.error(operation) }
        guard id == self.id.rawValue else { throw Difference.id.error(operation) }
        guard generation == self.generation else { throw Difference.generation.error(operation) }
    }

    /// Returns the query that fails for another store or generation, with a different error for each; see ``failure(_:_:)``.
    ///
    /// The failing expressions depend on the row, so that no planner evaluates them in advance.
    ///
    /// ```sql
    /// SELECT CASE WHEN count(*) = 0 THEN 1 / count(*) WHEN max(store_id) <> $1 THEN sqrt(-count(*)) WHEN max(generation) <> $2
    /// THEN ln(0 * count(*)) END FROM "s"."strata_metadata"
    /// ```
    func requirement(_ table: QualifiedName) -> SQLText {
        """
        SELECT CASE WHEN pg_catalog.count(*) = 0 THEN 1 / pg_catalog.count(*) \
        WHEN pg_catalog.max(store_id) <> \(bind: .text(id.rawValue)) THEN pg_catalog.sqrt(-pg_catalog.count(*)) \
        WHEN pg_catalog.max(generation) <> \(bind: .bigint(generation)) THEN pg_catalog.ln(0 * pg_catalog.count(*)) END FROM \(table)
        """
    }

    /// Maps the failure of ``requirement(_:)`` to an error.
    func failure(_ error: any Error, _ operation: StoreError.Operation) -> any Error {
        PostgreSQLFailure(of: error).flatMap { Difference(rawValue: $0.state) }?.error(operation) ?? error
    }

    /// The difference, by the SQLSTATE of the failure.
    private enum Difference: String {
        case missing = "22012"
        case id = "2201F"
        case generation = "2201E"

        func error(_ operation: StoreError.Operation) -> StoreError {
            switch self {
            case .missing: StoreError(.corrupt, operation, "the store has no metadata")
            case .id: StoreError(.replaced, operation, "the store was replaced by another one", recovery: .reopen)
            case .generation:
                StoreError(
                    .incompatibleModel, operation, "the store was brought to another version of its model; open it again", recovery: .reopen
                )
            }
        }
    }
}
