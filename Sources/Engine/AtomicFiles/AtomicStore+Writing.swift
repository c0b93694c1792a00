import Synchronization

extension AtomicStore {
    /// Writes a whole new file beside the store's.
    func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues) throws -> AtomicReplacement {
        try AtomicReplacement.prepare(path: file.path, fileSystem: file.fileSystem, forcing: options.durability.forcing) { sink in
            try codec.write(contents, model: model, external: external, to: &sink)
        }
    }

    /// Writes a save behind the file's last one, and synchronizes it; the file does not have it before ``commit(_:_:)``.
    func prepare(_ segment: AppendedSegment) throws(FileError) {
        do {
            try writing { (handle, end) throws(FileError) in
                try handle.write(segment.header, at: end.offset)
                try handle.write(segment.body, at: end.offset + segment.header.count)
                try handle.synchronize()
            }
        } catch {
            discard(segment)
            throw error
        }
    }

    /// Overwrites the beginning of a save that is not committed, so that no reader can take it for one.
    func discard(_ segment: AppendedSegment) {
        let zeros = [UInt8](repeating: 0, count: segment.header.count)
        try? writing { (handle, end) throws(FileError) in try handle.write(zeros, at: end.offset) }
    }

    /// Writes the commit record of a prepared save.
    ///
    /// - Throws: `FileError`; with `stateIsUnknown` the file may have the save.
    func commit(_ segment: AppendedSegment) throws(FileError) {
        try writing { (handle, end) throws(FileError) in
            do throws(FileError) {
                try handle.write(segment.record, at: end.record)
                // Files that only the save before names are removed afterwards.
                if options.durability == .full || external.dropsFiles { try handle.synchronize() }
            } catch {
                // The record may be in the file although that was reported as failed.
                do {
                    try handle.write(segment.recordBefore, at: end.record)
                    try handle.synchronize()
                } catch _ { throw error.withUnknownState(of: handle.path) }
                throw error
            }
        }
    }

    /// Writes into the file, and adopts its new status.
    private func writing(_ body: (any OpenFile, AppendPosition) throws(FileError) -> Void) throws(FileError) {
        let (handle, end) = state.withLock { ($0.loaded.handle, $0.end) }
        guard let end else { return }
        defer {
            // As for a new file, see `LoadedFile`. Where the status is not known, the file counts as replaced.
            try? handle.markModified()
            if let status = try? handle.status() { state.withLock { ($0.loaded.status, $0.seen) = (status, status) } }
        }
        try body(handle, end)
    }

    /// Records a committed save.
    ///
    /// - Throws: `StoreError` with `missing` or `replaced` where the file is no longer at its path.
    func adopt(_ segment: AppendedSegment, _ lineage: SaveLineage) throws(StoreError) {
        let loaded = state.withLock { $0.loaded.status }
        var found: FileStatus? = loaded
        do { found = try status(.save) } catch _ {}
        guard found?.identity == loaded.identity else {
            // Where the file comes back it counts as replaced, and is loaded.
            try requirePresent(.save)
            throw changedWhileSaving
        }
        state.withLock { ($0.lineage, $0.end) = (lineage, segment.end) }
    }

    /// Writes the file anew where saves were appended to it; called before the file is released.
    ///
    /// A file that cannot be written stays as it is, with the same content.
    func compact(_ contents: () throws(StoreError) -> TableContents) {
        let (end, lineage, failure) = state.withLock { ($0.end, $0.lineage, $0.failure) }
        guard !isReadOnly, failure == nil, let end, end.offset > end.start,
            let lock = try? file.lock(file.lockPath, .exclusive, timeout: 0, .save)
        else { return }
        defer { lock.unlock() }
        guard (try? isUnreplaced(.save)) == true, var contents = try? contents() else { return }
        contents.metadata.userInfo[StoreMetadata.savesKey] = lineage.value
        external.restart()
        do {
            try write(contents, model: model, external: external).commit()
            external.commit()
        } catch {
            if (error as? FileError)?.stateIsUnknown == true { external.abandon() } else { external.restart() }
        }
    }
}
