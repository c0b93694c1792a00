import Synchronization

/// An open store in one file: the table engine with everything in memory, and the file that each save replaces, or appends to.
final class AtomicStore: SharedStore {
    /// The file as it was loaded or last replaced; it stays open, so that no new file can have its inode.
    struct LoadedFile: Sendable {
        let handle: any OpenFile
        var status: FileStatus
        /// Whether saves can be appended to the file.
        let isWritable: Bool

        /// Opens a file; for reading where the process may not write to it, but replace it.
        ///
        /// - Parameter isNew: Whether the file was just written, at its temporary path. It gets a unique modification
        ///   time: the system's clock stands still between two ticks, and an edit in the same one would go unnoticed.
        init(_ path: String, _ mode: OpenMode, _ fileSystem: any FileSystem, isNew: Bool = false) throws(FileError) {
            var isWritable = mode != .read
            do { handle = try fileSystem.open(path, mode) } catch {
                guard isWritable, error.isDenied else { throw error }
                handle = try fileSystem.open(path, .read)
                isWritable = false
            }
            self.isWritable = isWritable
            if isNew { try? handle.markModified() }
            status = try handle.status()
        }
    }

    struct State {
        var loaded: LoadedFile
        var users: FileLock?
        var isClosed = false
        /// Whether the file is released; a transaction that was under way when the store was closed keeps it to its
        /// end.
        var isReleased = false
        /// The error that left the file in an unknown state.
        var failure: StoreError?
        /// The file that was last seen at the path; `nil` where there was none.
        var seen: FileStatus?
        /// The number of replacements by others.
        var revisionOfOthers: Int64 = 0
        /// The saves that led to the loaded file.
        var lineage: SaveLineage
        /// Where the next save is appended; `nil` where it replaces the file.
        var end: AppendPosition?

        init(loaded: LoadedFile, users: FileLock?, lineage: SaveLineage, end: AppendPosition?) {
            self.loaded = loaded
            self.lineage = lineage
            self.end = end
            self.users = users
            seen = loaded.status
        }

        /// Counts the file at the path where it is not the one last seen.
        mutating func see(_ file: FileStatus?) {
            if let file, let seen, file.isOfSameContent(as: seen) { return }
            if file == nil && seen == nil { return }
            seen = file
            revisionOfOthers += 1
        }
    }

    let codec: any AtomicCodec
    let file: AtomicFile
    let model: ManagedObjectModel
    let engine: TableEngine
    let external: ExternalValues
    let options: StoreOptions
    let id: StoreID
    let isReadOnly: Bool
    let configuration: String?
    let openingProblems: [StoreProblem]
    /// The slots of attributes with external storage, by entity.
    let externalSlots: [[(slot: Slot, kind: SlotKind)]]
    let state: Mutex<State>

    /// A file to open as a store.
    struct Opening {
        let file: AtomicFile
        let model: ManagedObjectModel
        let description: StoreDescription
        /// The lock of all users; `nil` where the process may not even read the lock's file.
        let users: FileLock?
        let external: ExternalValues
    }

    init(_ opening: Opening, _ contents: TableContents, _ loaded: LoadedFile, codec: any AtomicCodec) throws(StoreError) {
        let (file, model, external, description) = (opening.file, opening.model, opening.external, opening.description)
        self.codec = codec
        self.file = file
        self.model = model
        self.external = external
        options = description.options
        isReadOnly = description.isReadOnly
        configuration = description.configuration
        id = contents.metadata.storeID
        openingProblems = contents.problems
        external.belong(to: id)
        externalSlots = model.entities.map { entity in ExternalStorage.slots(of: entity).map { ($0, entity.layout.slots[$0].kind) } }
        var contents = contents
        let lineage = SaveLineage.take(from: &contents.metadata)
        if !codec.keepsVersions { contents.deriveVersions() }
        engine = try TableEngine(
            contents, model: model, path: file.path, referenceScope: codec.referenceScope, timeout: description.options.timeout)
        state = Mutex(State(loaded: loaded, users: opening.users, lineage: lineage, end: contents.end))
    }

    var type: StoreType { codec.type }
    var location: StoreLocation { .file(file.path) }
    var capabilities: StoreCapabilities {
        var capabilities = StoreCapabilities(isPersistent: true, isAtomic: true, allowsSeveralProcesses: false, keepsHistory: true)
        capabilities.keepsOrderKeys = codec.keepsVersions
        return capabilities
    }

    func metadata() throws -> StoreMetadata {
        try checkUsable(.metadata)
        return engine.metadata
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(reader()) }

    func answer(_ plan: FetchPlan) throws -> StoreAnswer { try reader().answer(plan) }

    func row(root: EntityIndex, reference: Int64) throws -> Row? { try reader().row(root: root, reference: reference) }

    func history(_ query: HistoryQuery) throws -> [HistoryRecord] { try reader().version.history.answer(query, path: path) }

    func holdSnapshot() throws -> (any StoreSnapshot)? { TableSnapshot(try reader()) { [self] in try checkUsable(.fetch) } }

    func beginCopy() throws -> (any PendingCopy)? { AtomicCopy(self, try reader().version, lineage) }

    private func reader() throws(StoreError) -> TableReader {
        try checkUsable(.fetch)
        return engine.reader
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkUsable(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only", path: file.path) }
        let tables = try engine.beginWrite()
        do {
            // The transaction before may have failed, or the store was closed.
            try checkUsable(.save)
            // A lock cannot be created in a directory that was moved away, which would hide the reason.
            try requirePresent(.save)
            let lock = try file.lock(file.lockPath, .exclusive, timeout: options.timeout, .save)
            // Saves of others are loaded first: then row versions are compared, as in a store with many writers.
            if try catchUp(.save) { tables.restart() }
            return AtomicTransaction(self, tables, lock)
        } catch {
            tables.rollback()
            releaseIfClosed()
            throw error
        }
    }

    func refresh() throws {
        try checkUsable(.refresh)
        if try isUnreplaced(.refresh) { return }
        // A save under way ends first, and none begins meanwhile.
        let transaction = try engine.beginWrite()
        defer {
            transaction.rollback()
            releaseIfClosed()
        }
        try checkUsable(.refresh)
        try requirePresent(.refresh)
        let lock =
            isReadOnly
            ? try file.lockToRead(file.lockPath, timeout: options.timeout, .refresh)
            : try file.lock(file.lockPath, .shared, timeout: options.timeout, .refresh)
        defer { lock?.unlock() }
        _ = try catchUp(.refresh)
    }

    /// Loads the file where others replaced it; the caller holds the write lock and the file's lock.
    ///
    /// - Returns: Whether they did.
    private func catchUp(_ operation: StoreError.Operation) throws -> Bool {
        for _ in 0..<3 {
            if try isUnreplaced(operation) { return false }
            if try loadAnew(operation) { return true }
        }
        throw StoreError(.locked, operation, "others replace the file again and again", path: file.path, recovery: .retryable)
    }

    /// Loads a replaced file; returns whether it is still there.
    private func loadAnew(_ operation: StoreError.Operation) throws -> Bool {
        try requirePresent(operation)
        let loaded: LoadedFile
        do { loaded = try LoadedFile(file.path, isReadOnly ? .read : .readWrite, file.fileSystem) } catch {
            throw StoreError(error, operation, path: file.path)
        }
        do {
            let (found, values) = try readFile(operation)
            var contents = found
            let lineage = SaveLineage.take(from: &contents.metadata)
            guard try status(operation).map({ $0.isOfSameContent(as: loaded.status) }) == true else {
                try? loaded.handle.close()
                return false
            }
            try engine.replace(with: contents)
            external.adopt(values)
            state.withLock { $0.see(loaded.status) }
            adopt(loaded, lineage, end: contents.end)
            return true
        } catch {
            try? loaded.handle.close()
            throw error
        }
    }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        // A transaction under way ends first; where it takes longer than the time-out, it releases the file itself.
        guard isFirst, let transaction = try? engine.beginWrite() else { return }
        compact { () throws(StoreError) in try transaction.contents }
        transaction.rollback()
        releaseIfClosed()
    }

    // MARK: - For the transaction

    /// Releases the file where the store was closed; called after every use of the write lock.
    func releaseIfClosed() {
        let handle: (any OpenFile)? = state.withLock { state in
            guard state.isClosed, !state.isReleased else { return nil }
            state.isReleased = true
            state.users?.unlock()
            return state.loaded.handle
        }
        try? handle?.close()
    }

    /// Checks that the file is the one that was loaded; throws `StoreError` with `missing` where it is missing, with
    /// `replaced` where another process that ignores locks changed or replaced it.
    func checkUnreplaced() throws(StoreError) {
        if try isUnreplaced(.save) { return }
        try requirePresent(.save)
        throw changedWhileSaving
    }

    var changedWhileSaving: StoreError {
        StoreError(.replaced, .save, "another program changed the file while it was saved to; save again", path: file.path)
    }

    func isUnreplaced(_ operation: StoreError.Operation) throws(StoreError) -> Bool {
        let loaded = state.withLock { $0.loaded.status }
        return try status(operation).map { $0.isOfSameContent(as: loaded) } ?? false
    }

    /// Returns the number of replacements by others.
    ///
    /// Each file is counted when it is first seen, here or when it is loaded: two files that were not loaded have two
    /// numbers. A file that this store is saving may be counted, too.
    func revisionOfOthers() throws -> Int64? {
        try checkUsable(.refresh)
        let status = try status(.refresh)
        return state.withLock { state in
            state.see(status)
            return state.revisionOfOthers
        }
    }

    /// The saves that led to the loaded file.
    var lineage: SaveLineage { state.withLock { $0.lineage } }

    /// Where the next save is appended; `nil` where it replaces the file.
    var end: AppendPosition? { state.withLock { $0.loaded.isWritable ? $0.end : nil } }

    /// Records a file that this store loaded or saved.
    func adopt(_ loaded: LoadedFile, _ lineage: SaveLineage, end: AppendPosition?) {
        let old = state.withLock { state in
            defer { (state.loaded, state.seen, state.lineage, state.end) = (loaded, loaded.status, lineage, end) }
            return state.loaded.handle
        }
        try? old.close()
    }

    /// Ends the store after its migration.
    func endWithMigration() { state.withLock { $0.isClosed = true } }

    /// Marks the state of the file as unknown: everything but closing fails from now on.
    func poison(_ failure: StoreError) { state.withLock { $0.failure = failure } }

    func checkUsable(_ operation: StoreError.Operation) throws(StoreError) {
        let (isClosed, failure) = state.withLock { ($0.isClosed, $0.failure) }
        if isClosed { throw StoreError(.closed, operation, "the store was closed", path: file.path) }
        if let failure {
            throw StoreError(
                .closed, operation, "a save failed half-way; open the store again", path: file.path, underlying: failure, recovery: .reopen)
        }
    }
}
