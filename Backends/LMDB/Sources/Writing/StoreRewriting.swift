import CStrataLMDB
import StrataStore

/// Rewrites the whole store for another model, in one LMDB transaction.
struct StoreRewriting {
    let store: LMDBStore
    let migration: StoreMigration

    private var environment: LMDBEnvironment { store.environment }
    private var path: String { environment.path }

    /// Runs under the write lock without another transaction of this thread.
    func run(until deadline: Deadline) throws {
        let plan = SchemaPlan(model: migration.model, configuration: migration.configuration)
        var files = ExternalChanges(store.externalData, threshold: store.options.externalStorageThreshold)
        var opened: [String: MDB_dbi] = [:]
        do {
            try unsafe environment.writeAlone(.migrate, until: deadline) { transaction in
                // Starts over if the map was full.
                files.removeWritten()
                opened = [:]
                try reading { reader in
                    opened = try unsafe write(plan, &files, reader, transaction)
                }
            }
        } catch {
            // A failed commit may have taken effect nevertheless: its rows reference the files.
            if (error as? LMDBStatus)?.call != "mdb_txn_commit" { files.removeWritten() }
            throw error
        }
        environment.remember(opened)
    }

    /// Runs `body` over the store before the rewriting.
    private func reading(_ body: (LMDBReader) throws -> Void) throws {
        let reader = try unsafe beginTransaction(environment.handle, MDB_RDONLY)
        defer { unsafe mdb_txn_abort(reader) }
        let snapshot = unsafe Snapshot(transaction: reader, rows: store.mappedRows(MappedRows.window()))
        try body(LMDBReader(snapshot: snapshot, storeID: store.id))
    }

    private func write(
        _ plan: SchemaPlan, _ files: inout ExternalChanges, _ reader: LMDBReader, _ transaction: OpaquePointer
    ) throws -> [String: MDB_dbi] {
        guard let head = try unsafe SchemaOpener.head(in: transaction, store.schema.store, path) else {
            throw StoreError(.foreign, .migrate, "the file holds no store", path: path)
        }
        var opened: [String: MDB_dbi] = [:]
        for (name, kind) in plan.databases {
            opened[name] = try unsafe environment.openDatabase(name, kind, in: transaction, creating: true)
        }
        // Emptied rather than deleted: deletion would close the readers' handles.
        let kept = [Names.store, Names.history].compactMap { opened[$0] }
        for database in Set(store.schema.databases + opened.values).subtracting(kept + [store.schema.store]) {
            try unsafe LMDBStatus.check(mdb_drop(transaction, database, 0), "mdb_drop")
        }
        var catalog = plan.catalog(after: nil)
        catalog.generation = head.catalog.generation + 1
        guard let schema = plan.schema(catalog, { opened[$0] }) else { throw LMDBStatus(code: MDB_NOTFOUND, call: "mdb_dbi_open") }
        let rows = MappedRows(schema: schema, window: MappedRows.window(), external: store.externalData, path: path)
        try migration.forEachBatch(of: reader) { changes in
            let snapshot = unsafe Snapshot(transaction: transaction, rows: rows)
            let applier = ChangeApplier(snapshot: snapshot, packed: try files.pack(changes, snapshot))
            try migration.requireNone(try applier.apply(), path: path)
        }
        try unsafe writeHead(catalog, transaction)
        return opened
    }

    private func writeHead(_ catalog: Catalog, _ transaction: OpaquePointer) throws {
        let database = store.schema.store
        for hierarchy in store.schema.hierarchies {
            try unsafe Records.remove(transaction, database, Names.lastReference(root: store.schema.model.entities[hierarchy.root].name))
        }
        for (root, last) in migration.lastReferences where last > 0 {
            let name = Names.lastReference(root: migration.model.entities[root].name)
            try unsafe Records.put(transaction, database, name, number: last)
        }
        try unsafe Records.put(transaction, database, Names.metadata, migration.metadata.record())
        try unsafe Records.put(transaction, database, Names.catalog, catalog.encoded())
        try unsafe Records.put(transaction, database, Names.generation, number: catalog.generation)
    }
}

extension StoreSchema {
    fileprivate var databases: [MDB_dbi] {
        hierarchies.map(\.rows) + indexes.map(\.database) + links.values.flatMap { [$0.first, $0.second] }
    }
}
