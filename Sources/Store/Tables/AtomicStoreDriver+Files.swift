import StrataFiles

extension AtomicStoreDriver {
    public func metadata(at path: String) throws -> StoreMetadata {
        let file = try AtomicFile(path, fileSystem, "metadata")
        _ = try file.existingStatus("metadata")
        return try metadata(of: file, "metadata")
    }

    public func setMetadata(_ metadata: StoreMetadata, at path: String) throws {
        try metadata.checkNesting("metadata", path: path)
        let file = try AtomicFile(path, fileSystem, "metadata")
        _ = try file.existingStatus("metadata")
        let locks = try lockAlone(file, "metadata")
        defer { locks.unlock() }
        _ = try self.metadata(of: file, "metadata")
        try write(file, "metadata") { sink in try codec.rewrite(file.path, metadata: metadata, to: &sink) }
    }

    public func destroy(at path: String) throws {
        let file = try AtomicFile(path, fileSystem, "destroy")
        guard let status = try file.status("destroy") else { return }
        guard status.kind == .regular else { throw StoreError(.foreign, "destroy", "there is no file but something else", path: file.path) }
        let locks = try lockAlone(file, "destroy")
        defer { locks.unlock() }
        if status.size > 0 {
            do { _ = try codec.metadata(file.path) } catch {
                // A damaged store is one to be destroyed, another's file is not.
                if let error = error as? StoreError, error.code == .foreign || error.code == .wrongType { throw error }
            }
        }
        do {
            let ownsExternalData = try file.ownsExternalData()
            try fileSystem.removeIfPresent(file.path)
            if ownsExternalData { try file.externalData(.full).removeAll() }
            try AtomicReplacement.removeLeftovers(of: file.path, fileSystem: fileSystem)
            try fileSystem.removeIfPresent(file.lockPath)
            try fileSystem.removeIfPresent(file.usersPath)
            try fileSystem.synchronizeDirectory(file.directory)
        } catch { throw StoreError(error, "destroy", path: file.path) }
    }

    public func replace(at path: String, withStoreAt source: String) throws {
        let file = try AtomicFile(path, fileSystem, "replace")
        let original = try AtomicFile(source, fileSystem, "replace")
        if file.path == original.path { return }
        _ = try original.existingStatus("replace")
        let locks = try lockAlone(file, "replace")
        defer { locks.unlock() }
        let reading = try original.lock(original.lockPath, .shared, timeout: StoreOptions().timeout, "replace")
        defer { reading.unlock() }
        _ = try metadata(of: original, "replace")
        do {
            let (values, newValues) = (file.externalData(.full), original.externalData(.full))
            let isShared = values.path == newValues.path
            let obsolete = try isShared || !file.ownsExternalData() ? [] : values.names()
            let kept = Set(try newValues.names())
            try newValues.copy(to: values)
            let content = try fileSystem.map(original.path)
            try write(file, "replace") { sink in
                try content.withBytes { bytes throws(FileError) in try sink.write(bytes) }
            }
            try? values.remove(obsolete.filter { !kept.contains($0) })
        } catch let error as FileError { throw StoreError(error, "replace", path: file.path) }
    }

    /// The metadata of a file, of which it is checked that it is of the codec's type.
    func metadata(of file: AtomicFile, _ operation: String) throws -> StoreMetadata {
        let metadata: StoreMetadata
        do { metadata = try codec.metadata(file.path) } catch let error as FileError {
            throw StoreError(error, operation, path: file.path)
        }
        guard metadata.type == codec.type else {
            throw StoreError(.wrongType, operation, "the store is of type \(metadata.type), not \(codec.type)", path: file.path)
        }
        return metadata
    }

    /// Takes both locks of a store that nobody may have open meanwhile.
    private func lockAlone(_ file: AtomicFile, _ operation: String) throws(StoreError) -> AtomicLocks {
        let users = try file.lock(file.usersPath, .exclusive, timeout: 0, operation)
        return AtomicLocks(users: users, writer: try file.lock(file.lockPath, .exclusive, timeout: StoreOptions().timeout, operation))
    }

    /// Replaces the file of a store that nobody has open.
    private func write(_ file: AtomicFile, _ operation: String, _ writing: (inout FileSink) throws -> Void) throws {
        do {
            try AtomicReplacement.prepare(path: file.path, fileSystem: fileSystem, writing: writing).commit()
        } catch let error as FileError { throw StoreError(error, operation, path: file.path) }
    }
}

/// The two locks of a store.
struct AtomicLocks: Sendable {
    let users: FileLock
    let writer: FileLock

    func unlock() {
        writer.unlock()
        users.unlock()
    }
}
