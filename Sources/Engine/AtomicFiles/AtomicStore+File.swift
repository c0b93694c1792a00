extension AtomicStore {
    /// Reads the file at the path, which another process may have replaced; throws `StoreError` with `replaced` where
    /// it is another store's or an older copy, with `corrupt` where it is damaged, with `incompatibleModel` where it was migrated; the
    /// recovery of these is `reopen`.
    func readFile(_ operation: StoreError.Operation) throws -> (TableContents, ExternalValues) {
        let values = ExternalValues(directory: file.externalData(), threshold: options.externalStorageThreshold)
        // Before the file is read: this store may be saving a newer one.
        let loaded = lineage
        do {
            return try StoreError.naming(operation, path: file.path) {
                // A file of another store, or of another version of the model, is not read as this one's.
                let metadata = try codec.metadata(file.path)
                guard metadata.storeID == id else { throw replaced(operation, "the store was replaced by another one") }
                guard SaveLineage(metadata).follows(loaded) else { throw replaced(operation, "the file was replaced by an older copy") }
                if !options.ignoresModelVersion {
                    try metadata.checkCompatibility(with: model, configuration: configuration, path: file.path)
                }
                let contents =
                    try operation == .verify
                    ? codec.load(file.path, model: model, external: values) : codec.open(file.path, model: model, external: values)
                return (contents, values)
            }
        } catch let error as StoreError {
            switch error.code {
            case .foreign, .wrongType: throw replaced(operation, "the file was replaced by one that is not a store of this kind", error)
            case .corrupt, .incompatibleModel, .unsupportedVersion: throw error.recoverable(by: .reopen)
            default: throw error
            }
        }
    }

    private func replaced(_ operation: StoreError.Operation, _ what: String, _ underlying: StoreError? = nil) -> StoreError {
        StoreError(.replaced, operation, what + "; open the store again", path: file.path, underlying: underlying)
    }

    /// Returns the status of the file; `nil` where there is none.
    ///
    /// - Throws: `StoreError` with `replaced` for a loop of symbolic links.
    func status(_ operation: StoreError.Operation) throws(StoreError) -> FileStatus? {
        do { return try file.fileSystem.statusIfPresent(of: file.path) } catch {
            if error.isLoop { throw replaced(operation, "the file was replaced by a loop of symbolic links") }
            throw StoreError(error, operation, path: file.path)
        }
    }

    /// - Throws: `StoreError` with `missing` where the file is missing, with `replaced` where there is something else.
    func requirePresent(_ operation: StoreError.Operation) throws(StoreError) {
        guard let status = try status(operation) else {
            throw StoreError(
                .missing, operation, "the file was removed or moved since it was loaded; put it back, or open the store again",
                path: file.path, recovery: .reopen)
        }
        if status.kind != .regular { throw replaced(operation, "the file was replaced by something that is not a regular file") }
        if status.size == 0 { throw replaced(operation, "the file was replaced by an empty file") }
    }
}
