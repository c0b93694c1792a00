extension AtomicStoreDriver {
    public func metadataOfFile(at path: String) throws -> StoreMetadata {
        let file = try AtomicFile(path, fileSystem, .metadata)
        _ = try file.existingStatus(.metadata)
        try refuseDatabase(file, .metadata)
        var metadata = try metadata(of: file, .metadata)
        _ = SaveLineage.take(from: &metadata)
        return metadata
    }

    public func setMetadata(_ metadata: StoreMetadata, ofFileAt path: String) throws {
        let file = try AtomicFile(path, fileSystem, .metadata)
        _ = try file.existingStatus(.metadata)
        try refuseDatabase(file, .metadata)
        let locks = try lockAlone(file, .metadata)
        defer { locks.unlock() }
        let new = try metadata.replacing(try self.metadata(of: file, .metadata), .metadata, path: path)
        try StoreError.naming(.metadata, path: file.path) {
            try write(file, .metadata) { sink in try codec.rewrite(file.path, metadata: new, to: &sink) }
        }
    }

    public func destroyFile(at path: String) throws {
        let file = try AtomicFile(path, fileSystem, .destroy)
        guard let status = try file.status(.destroy) else { return }
        // Before any lock is created beside a file that may be another program's.
        try refuseForeign(file, status, .destroy)
        let locks = try lockAlone(file, .destroy)
        defer { locks.unlock() }
        try requireSame(file, status, .destroy)
        var (storeID, names): (StoreID?, [String]) = (nil, [])
        if status.size > 0 {
            do {
                storeID = try codec.metadata(file.path).storeID
                names = try codec.externalNames(file.path)
            } catch {
                // A damaged store may be destroyed, the file of another program not.
                if let error = error as? StoreError, error.code == .foreign || error.code == .wrongType { throw error }
            }
        }
        do {
            try fileSystem.removeIfPresent(file.path)
            // Without the store's ID no values are removed: another store may keep its own in the directory.
            if let storeID { try file.externalData(storeID: storeID).removeStore(naming: names) }
            try AtomicReplacement.removeLeftovers(of: file.path, fileSystem: fileSystem)
            try fileSystem.removeIfPresent(file.lockPath)
            try fileSystem.removeIfPresent(file.usersPath)
            try fileSystem.synchronizeDirectory(file.directory)
        } catch { throw StoreError(error, .destroy, path: file.path) }
    }

    public func replaceFile(at path: String, withFileAt source: String, _ replacement: StoreReplacement) throws {
        let file = try AtomicFile(path, fileSystem, .replace)
        let original = try AtomicFile(source, fileSystem, .replace)
        if file.path == original.path { return }
        _ = try original.existingStatus(.replace)
        try refuseDatabase(original, .replace)
        let status = try file.status(.replace)
        if let status { try refuseForeign(file, status, .replace, acceptsAll: replacement.replacesUnrecognized) }
        let locks = try lockAlone(file, .replace)
        defer {
            locks.unlock()
            file.removeUnusedLocks()
        }
        try requireSame(file, status, .replace)
        // A reader of a directory that it may not write copies without a lock.
        let reading = try original.lockToRead(original.lockPath, timeout: StoreOptions().timeout, .replace)
        defer { reading?.unlock() }
        let copied = try original.existingStatus(.replace)
        _ = try metadata(of: original, .replace)
        do {
            try AtomicReplacement.removeLeftovers(of: file.path, fileSystem: fileSystem)
            let names = try codec.externalNames(original.path)
            let old = try valuesToReplace(file)
            let (values, newValues) = (file.externalData(), original.externalData())
            try StoreError.refuseSharing(names, copy: values, original: newValues, .replace, path: file.path)
            try newValues.copy(names, to: values)
            let content = try fileSystem.map(original.path)
            try write(file, .replace, beforeCommit: replacement.beforeCommit) { sink in
                try unsafe content.withBytes { bytes throws(FileError) in try unsafe sink.write(bytes) }
                guard try reading != nil || original.status(.replace)?.isOfSameContent(as: copied) == true else {
                    throw StoreError(.locked, .replace, "another process replaced the file meanwhile", path: original.path)
                }
            }
            // Values that stay behind do no harm.
            try? values.remove(old.subtracting(names))
        } catch let error as FileError { throw StoreError(error, .replace, path: file.path) }
    }

    /// Returns the names of the values of a store to be replaced, as far as known.
    private func valuesToReplace(_ file: AtomicFile) throws -> Set<String> {
        guard try file.status(.replace)?.size ?? 0 > 0, let metadata = try? codec.metadata(file.path), metadata.type == codec.type else {
            return []
        }
        let owned = try? file.externalData(storeID: metadata.storeID).ownedNames()
        return Set((try? codec.externalNames(file.path)) ?? []).union(owned ?? [])
    }

    /// Returns the metadata of a file, after checking its type.
    func metadata(of file: AtomicFile, _ operation: StoreError.Operation) throws -> StoreMetadata {
        let metadata = try StoreError.naming(operation, path: file.path) { try codec.metadata(file.path) }
        guard metadata.type == codec.type else {
            throw StoreError(.wrongType, operation, "the store is of type \(metadata.type), not \(codec.type)", path: file.path)
        }
        return metadata
    }

    /// Rejects a file that a library may have open in this process, before the codec opens it.
    func refuseDatabase(_ file: AtomicFile, _ operation: StoreError.Operation) throws(StoreError) {
        let kind = try FileKind(at: file.path, operation, fileSystem: fileSystem)
        if kind.isDatabase { throw kind.refusal(operation, path: file.path) }
    }

    /// Rejects files of other programs, to be removed or replaced; a damaged store is accepted, and with `acceptsAll` what may be one.
    private func refuseForeign(
        _ file: AtomicFile, _ status: FileStatus, _ operation: StoreError.Operation, acceptsAll: Bool = false
    ) throws {
        try status.requireRegularFile(operation, path: file.path)
        if status.size == 0 { return }
        let kind = try FileKind(at: file.path, operation, fileSystem: fileSystem)
        if kind.isDatabase { throw kind.refusal(operation, path: file.path) }
        if acceptsAll { return }
        do { _ = try metadata(of: file, operation) } catch let error as StoreError {
            switch error.code {
            case .unsupportedVersion: return
            // Damaged markup without a store's beginning may be any program's.
            case .corrupt where kind != .markup: return
            default: throw error
            }
        }
    }

    private func requireSame(_ file: AtomicFile, _ status: FileStatus?, _ operation: StoreError.Operation) throws(StoreError) {
        if try file.status(operation)?.identity == status?.identity { return }
        throw StoreError(.locked, operation, "another process replaced the file meanwhile", path: file.path)
    }

    /// Acquires both locks of a store exclusively.
    private func lockAlone(_ file: AtomicFile, _ operation: StoreError.Operation) throws(StoreError) -> AtomicLocks {
        let users = try file.lock(file.usersPath, .exclusive, timeout: 0, operation)
        return AtomicLocks(users: users, writer: try file.lock(file.lockPath, .exclusive, timeout: StoreOptions().timeout, operation))
    }

    /// Replaces the file of a store that is not open.
    private func write(
        _ file: AtomicFile, _ operation: StoreError.Operation, beforeCommit: () throws -> Void = {},
        _ writing: (inout FileSink) throws -> Void
    ) throws {
        do {
            let replacement = try AtomicReplacement.prepare(path: file.path, fileSystem: fileSystem, writing: writing)
            try beforeCommit()
            try replacement.commit()
        } catch let error as FileError { throw StoreError(error, operation, path: file.path) }
    }
}

struct AtomicLocks: Sendable {
    let users: FileLock
    let writer: FileLock

    func unlock() {
        writer.unlock()
        users.unlock()
    }
}
