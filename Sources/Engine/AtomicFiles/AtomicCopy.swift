/// A copy of an atomic store: a version of its tables, written as a file of its own.
final class AtomicCopy: PendingCopy {
    private let store: AtomicStore
    private let version: TableVersion
    private let lineage: SaveLineage

    init(_ store: AtomicStore, _ version: TableVersion, _ lineage: SaveLineage) {
        self.store = store
        self.version = version
        self.lineage = lineage
    }

    // The values are written from memory, to new files: none is linked.
    func write(to path: String, linkingValuesOf earlier: String?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        try StoreError.naming(.backUp, path: path) {
            let file = try AtomicFile(path, store.file.fileSystem, .backUp)
            // The values are in memory, and the original's files may be removed meanwhile.
            let external = ExternalValues(directory: file.externalData(), threshold: store.options.externalStorageThreshold)
            external.belong(to: store.id)
            var contents = try version.contents(store.engine.schema)
            contents.metadata.userInfo[StoreMetadata.savesKey] = lineage.value
            try progress(0, 1)
            try AtomicReplacement.prepare(path: file.path, fileSystem: file.fileSystem, newFilePermissions: 0o600) { sink in
                try store.codec.write(contents, model: store.model, external: external, to: &sink)
            }.commit()
        }
    }
}
