extension AtomicStoreDriver {
    public func openFile(at path: String, _ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        let file = try AtomicFile(path, fileSystem, .open)
        let status = try file.status(.open)
        try status?.requireRegularFile(.open, path: file.path)
        // Before anything is created beside a file that may be another program's.
        try refuseDatabase(file, .open)
        let probe = (status?.size ?? 0) > 0 ? try look(at: file) : nil
        defer { try? probe?.file.handle.close() }
        return try StoreError.naming(.open, path: file.path) {
            if description.isReadOnly { return try openToRead(file, probe, description, model) }
            do { return try openToWrite(file, probe, description, model) } catch {
                file.removeUnusedLocks()
                throw error
            }
        }
    }

    /// The metadata of a file, read before locking, and the open file, so that no other can have its inode.
    private struct Probe {
        let file: AtomicStore.LoadedFile
        let metadata: StoreMetadata
    }

    private func look(at file: AtomicFile) throws -> Probe {
        let found: AtomicStore.LoadedFile
        do { found = try .init(file.path, .read, fileSystem) } catch { throw StoreError(error, .open, path: file.path) }
        do { return Probe(file: found, metadata: try metadata(of: file, .open)) } catch {
            try? found.handle.close()
            throw error
        }
    }

    private func openToWrite(
        _ file: AtomicFile, _ probe: Probe?, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> any StoreBackend {
        let users = try file.lock(file.usersPath, .shared, timeout: description.options.timeout, .open)
        let writer = try file.lock(file.lockPath, .exclusive, timeout: description.options.timeout, .open)
        defer { writer.unlock() }
        try AtomicReplacement.removeLeftovers(of: file.path, fileSystem: fileSystem)
        let opening = AtomicStore.Opening(
            file: file, model: model, description: description, users: users, external: externalValues(file, description))
        if let status = try file.status(.open), status.size > 0 {
            let store = try load(opening, try .init(file.path, .readWrite, fileSystem), probe)
            // No other process may write now. Files that cannot be removed do no harm.
            try? opening.external.removeUnnamed()
            return store
        }
        let metadata = try StoreMetadata(
            newStoreOf: type, model: model, configuration: description.configuration, storeID: description.newStoreID,
            holdsWholeModel: codec.holdsWholeModel)
        var contents = TableContents(metadata: metadata)
        for entity in model.entities where entity.superentity == nil {
            contents.lastReference[entity.index] = codec.lastReferenceOfNewStore
        }
        let replacement = try AtomicReplacement.prepare(
            path: file.path, fileSystem: fileSystem, forcing: description.options.durability.forcing
        ) { sink in
            try codec.write(contents, model: model, external: opening.external, to: &sink)
        }
        let loaded = try AtomicStore.LoadedFile(replacement.temporaryPath, .readWrite, fileSystem, isNew: true)
        contents.end = try codec.end(ofFile: replacement.temporaryPath)
        try replacement.commit()
        return try AtomicStore(opening, contents, loaded, codec: codec)
    }

    private func openToRead(
        _ file: AtomicFile, _ probe: Probe?, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> any StoreBackend {
        _ = try file.existingStatus(.open)
        let users = try file.lockToRead(file.usersPath, timeout: description.options.timeout, .open)
        let writer = try file.lockToRead(file.lockPath, timeout: description.options.timeout, .open)
        defer { writer?.unlock() }
        func load(_ loaded: AtomicStore.LoadedFile) throws -> any StoreBackend {
            let opening = AtomicStore.Opening(
                file: file, model: model, description: description, users: users, external: externalValues(file, description))
            return try self.load(opening, loaded, probe)
        }
        // Without a lock, a writer may replace the file, and remove external values, while it is being loaded.
        for _ in 0..<3 where writer == nil {
            let before = try file.existingStatus(.open)
            let loaded = try AtomicStore.LoadedFile(file.path, .read, fileSystem)
            let opened = Result { try load(loaded) }
            let after = try file.existingStatus(.open)
            if before.isOfSameContent(as: after), loaded.status.isOfSameContent(as: after) { return try opened.get() }
        }
        return try load(try .init(file.path, .read, fileSystem))
    }

    private func externalValues(_ file: AtomicFile, _ description: StoreDescription) -> ExternalValues {
        ExternalValues(directory: file.externalData(), threshold: description.options.externalStorageThreshold)
    }

    private func load(_ opening: AtomicStore.Opening, _ loaded: AtomicStore.LoadedFile, _ probe: Probe?) throws -> any StoreBackend {
        let (file, model, description) = (opening.file, opening.model, opening.description)
        let known = probe.flatMap { loaded.status.isOfSameContent(as: $0.file.status) ? $0.metadata : nil }
        let metadata = try known ?? metadata(of: file, .open)
        if !description.options.ignoresModelVersion {
            try metadata.checkCompatibility(with: model, opening: description, path: file.path)
        }
        let contents = try codec.open(file.path, model: model, external: opening.external)
        return try AtomicStore(opening, contents, loaded, codec: codec)
    }
}
