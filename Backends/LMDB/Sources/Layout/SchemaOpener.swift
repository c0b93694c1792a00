import CStrataLMDB
import StrataEngine

/// Finds a file's databases, or creates them: for a new store, and for indexes that the model gained.
struct SchemaOpener {
    /// The version of the layout in `FORMAT.md`.
    static let formatVersion: Int64 = 1
    static let magic = "Strata LMDB store"

    let environment: LMDBEnvironment
    let plan: SchemaPlan
    let description: StoreDescription
    let type: StoreType

    /// The content of the first database.
    struct Head {
        let metadata: StoreMetadata
        let catalog: Catalog
        /// Whether the catalog is the one that the model has in a new store, but for its generation.
        var isUnchanged = false
    }

    private var path: String { environment.path }
    private var deadline: Deadline { Deadline(after: description.options.timeout) }

    /// Opens the databases.
    ///
    /// - Returns: The schema, and the identifier of a store that was there.
    /// - Throws: `StoreError` with `foreign`, `corrupt`, `unsupportedVersion`, `incompatibleModel`, `missing`.
    func open() throws -> (schema: StoreSchema, storeID: StoreID?) {
        try SchemaOpener.findDatabases(plan.databases, in: environment, until: deadline)
        let head = try environment.read(.open) {
            try unsafe SchemaOpener.head(in: $0.handle, environment, expecting: plan.catalog(after: nil))
        }
        if let head {
            try check(head)
            if let schema = plan.schema(head.catalog, environment.knownDatabase),
                head.isUnchanged || plan.catalog(after: head.catalog) == head.catalog
            {
                return (schema, head.metadata.storeID)
            }
        }
        if description.isReadOnly || environment.isReadOnly {
            guard let head else { throw StoreError.missingStore(.open, at: path) }
            if let schema = plan.schema(head.catalog, onlyKnownIndexes: true, environment.knownDatabase) {
                return (schema, head.metadata.storeID)
            }
            throw StoreError(.incompatibleModel, .open, "the store lacks entities of the model, and is opened for reading only", path: path)
        }
        let writeLock = try FileWriteLock(environment, .open, until: deadline)
        defer { withExtendedLifetime(writeLock) {} }
        return (try fill(), head?.metadata.storeID)
    }

    /// Creates what is missing; no other process may write to the file.
    @discardableResult
    func fill() throws -> StoreSchema {
        var opened: [String: MDB_dbi] = [:]
        let schema = try unsafe environment.writeAlone(.open, until: deadline) { transaction in
            opened = [:]
            for (name, kind) in plan.databases {
                opened[name] = try unsafe environment.openDatabase(name, kind, in: transaction, creating: true)
            }
            guard let store = opened[Names.store] else { throw LMDBStatus(code: MDB_NOTFOUND, call: "mdb_dbi_open") }
            let head = try unsafe SchemaOpener.head(in: transaction, store, path)
            if let head { try check(head) }
            let catalog = plan.catalog(after: head?.catalog)
            guard let schema = plan.schema(catalog, { opened[$0] }) else {
                throw LMDBStatus(code: MDB_NOTFOUND, call: "mdb_dbi_open")
            }
            if head == nil { try unsafe writeHead(transaction, store) }
            for index in schema.indexes where head?.catalog.indexes[index.name] != catalog.indexes[index.name] {
                let external = ExternalDataDirectory(storePath: path)
                let rows = MappedRows(schema: schema, window: MappedRows.window(), external: external, path: path)
                try unsafe IndexBuilder.build(index, transaction, rows)
            }
            try unsafe Records.put(transaction, store, Names.catalog, catalog.encoded())
            try unsafe Records.put(transaction, store, Names.generation, number: catalog.generation)
            return schema
        }
        environment.remember(opened)
        return schema
    }

    private func writeHead(_ transaction: OpaquePointer, _ store: MDB_dbi) throws {
        var format = ByteWriter()
        format.put(text: SchemaOpener.magic)
        format.put(SchemaOpener.formatVersion)
        try unsafe Records.put(transaction, store, Names.format, format.record())
        let metadata = try StoreMetadata(
            newStoreOf: type, model: plan.model, configuration: description.configuration, storeID: description.newStoreID)
        try unsafe Records.put(transaction, store, Names.metadata, metadata.record())
    }

    private func check(_ head: Head) throws {
        guard head.metadata.type == type else {
            throw StoreError(.wrongType, .open, "the store is of type \(head.metadata.type)", path: path)
        }
        if !description.options.ignoresModelVersion {
            try head.metadata.checkCompatibility(with: plan.model, opening: description, path: path)
        }
        // Equal catalogs have equal entities.
        if head.isUnchanged { return }
        let differing = plan.differingEntities(in: head.catalog)
        guard differing.isEmpty else {
            throw StoreError(
                .incompatibleModel, .open, "the rows have another shape than the model's: \(differing.joined(separator: ", "))", path: path)
        }
    }

    // MARK: - The first database

    /// Opens databases, those that exist, unless all are open already.
    static func findDatabases(
        _ databases: [(name: String, kind: LMDBEnvironment.DatabaseKind)], in environment: LMDBEnvironment, until deadline: Deadline
    ) throws {
        guard databases.contains(where: { environment.knownDatabase($0.name) == nil }) else { return }
        // A transaction that opens databases must be the only one to do so.
        try environment.alone(.open, until: deadline) {
            let transaction = try unsafe environment.beginAlone(MDB_RDONLY)
            var opened: [String: MDB_dbi] = [:]
            do {
                for (name, kind) in databases {
                    opened[name] = try unsafe environment.openDatabase(name, kind, in: transaction, creating: false)
                }
            } catch {
                unsafe mdb_txn_abort(transaction)
                throw error
            }
            try unsafe LMDBStatus.check(mdb_txn_commit(transaction), "mdb_txn_commit")
            environment.remember(opened)
        }
    }

    /// Returns the file's own description; `nil` for an empty file.
    ///
    /// - Parameter catalog: A catalog that spares decoding and comparing the file's where that is the same, byte for byte.
    static func head(
        in transaction: OpaquePointer, _ environment: LMDBEnvironment, expecting catalog: Catalog? = nil
    ) throws -> Head? {
        guard let store = environment.knownDatabase(Names.store) else {
            var statistics = MDB_stat()
            try unsafe LMDBStatus.check(mdb_env_stat(environment.handle, &statistics), "mdb_env_stat")
            guard statistics.ms_entries == 0 else { throw StoreError.foreign(.open, path: environment.path) }
            return nil
        }
        return try unsafe head(in: transaction, store, environment.path, expecting: catalog)
    }

    static func head(
        in transaction: OpaquePointer, _ store: MDB_dbi, _ path: String, expecting expected: Catalog? = nil
    ) throws -> Head? {
        guard let format = try unsafe Records.get(transaction, store, Names.format) else {
            guard try unsafe Records.count(transaction, store) == 0 else { throw StoreError.foreign(.open, path: path) }
            return nil
        }
        do {
            var reader = try unsafe ByteReader(record: format.bytes)
            guard try reader.text() == magic else { throw StoreError(.foreign, .open, "the file is no store of Strata's", path: path) }
            let version: Int64 = try reader.number()
            guard version == formatVersion else {
                throw StoreError(.unsupportedVersion, .open, "the store's format is version \(version)", path: path)
            }
            guard let metadata = try unsafe Records.get(transaction, store, Names.metadata),
                let catalog = try unsafe Records.get(transaction, store, Names.catalog)
            else { throw MalformedBytes() }
            let decoded = try unsafe StoreMetadata(record: metadata.bytes)
            if var expected, let generation = try? unsafe Records.number(transaction, store, Names.generation) {
                expected.generation = generation
                if unsafe catalog.bytes.elementsEqual(expected.encoded()) {
                    return Head(metadata: decoded, catalog: expected, isUnchanged: true)
                }
            }
            return unsafe Head(metadata: decoded, catalog: try Catalog(catalog.bytes))
        } catch is MalformedBytes {
            throw StoreError(.corrupt, .open, "the store's description of itself is damaged", path: path)
        }
    }
}
