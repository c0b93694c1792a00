/// The content of an atomic store after a migration, to be written as a new file.
struct MigratedFile {
    let model: ManagedObjectModel
    let contents: TableContents
    let external: ExternalValues

    /// - Parameter reader: A reader of the store as it was.
    init(_ migration: StoreMigration, _ store: AtomicStore, _ reader: any StoreReader) throws {
        model = migration.model
        external = ExternalValues(directory: store.file.externalData(), threshold: store.options.externalStorageThreshold)
        external.belong(to: store.id)
        var empty = TableContents(metadata: migration.metadata)
        for entity in migration.model.entities where entity.superentity == nil {
            empty.lastReference[entity.index] = migration.lastReferences[entity.index] ?? store.codec.lastReferenceOfNewStore
        }
        let engine = try TableEngine(
            empty, model: migration.model, path: store.file.path, referenceScope: store.codec.referenceScope, timeout: 0)
        let tables = try engine.beginWrite()
        defer { tables.rollback() }
        try migration.forEachBatch(of: reader) { changes in
            try migration.requireNone(try tables.apply(changes), path: store.file.path)
        }
        var migrated = try tables.contents
        migrated.metadata.historyRecords = store.engine.current.history.records
        contents = migrated
    }
}
