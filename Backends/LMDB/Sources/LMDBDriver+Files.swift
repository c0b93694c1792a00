import CStrataLMDB
import StrataEngine
public import StrataStore

extension LMDBDriver {
    /// Reads the metadata of a store, which may be open.
    ///
    /// - Throws: As `StoreDriver.metadata(at:)`.
    public func metadataOfFile(at path: String) throws -> StoreMetadata {
        try withEnvironment(path, .metadata, isReadOnly: true) { environment in
            try LMDBStore.metadata(environment, try storeDatabase(environment))
        }
    }

    /// Changes the metadata of a store that no coordinator has open.
    ///
    /// - Throws: As `StoreDriver.setMetadata(_:at:)`.
    public func setMetadata(_ metadata: StoreMetadata, ofFileAt path: String) throws {
        try withEnvironment(path, .metadata, isReadOnly: false) { environment in
            let store = try storeDatabase(environment)
            let deadline = Deadline(after: 10)
            let writeLock = try FileWriteLock(environment, .metadata, until: deadline)
            defer { withExtendedLifetime(writeLock) {} }
            let new = try metadata.replacing(try LMDBStore.metadata(environment, store), .metadata, path: path)
            try unsafe environment.writeAlone(.metadata, until: deadline) {
                try unsafe Records.put($0, store, Names.metadata, new.record())
            }
        }
    }

    /// Removes a store with all its files.
    ///
    /// - Throws: `StoreError` with `locked` while this or another process has it open, and with `foreign` or
    ///   `wrongType`, touching nothing, if the file is no store of this kind. A damaged store is removed.
    public func destroyFile(at path: String) throws {
        try storeErrors(.destroy, path: path) {
            guard try PosixFileSystem.shared.statusIfPresent(of: PathName.parent(of: path)) != nil else { return }
            guard try PosixFileSystem.shared.statusIfPresent(of: path) != nil else { return }
            try StoreOwnership(path: path, operation: .destroy).check()
            let values = externalValues(at: path, .destroy)
            try EnvironmentRegistry.whileClosed(path, .destroy) { resolved in
                // The file first: without it the others are orphans.
                try PosixFileSystem.shared.removeIfPresent(resolved)
                try PosixFileSystem.shared.removeIfPresent(resolved + "-lock")
                try PosixFileSystem.shared.removeIfPresent(StoreCopy.path(beside: resolved))
                try values?.remove()
                for lock in LockFile.allCases { try PosixFileSystem.shared.removeIfPresent(lock.path(beside: resolved)) }
                try PosixFileSystem.shared.synchronizeDirectory(PathName.parent(of: resolved))
            }
        }
    }

    /// Replaces a store by a compact copy of another, or creates it.
    ///
    /// - Throws: `StoreError` with `locked` while the target is open, and with `foreign` or `wrongType`, touching
    ///   nothing, if the file is no store of this kind.
    public func replaceFile(at path: String, withFileAt source: String, _ replacement: StoreReplacement) throws {
        try withEnvironment(source, .replace, isReadOnly: true) { environment in
            if try environment.identity == EnvironmentRegistry.identity(of: path) { return }
            if !replacement.replacesUnrecognized { try StoreOwnership(path: path, operation: .replace).check() }
            _ = try LMDBStore.metadata(environment, try storeDatabase(environment))
            let replaced = externalValues(at: path, .replace)
            // A copy that fails leaves no lock where nothing was.
            defer { PosixFileSystem.shared.removeUnusedLocks(LockFile.allCases.map { $0.path(beside: path) }, ofMissing: path) }
            let (resolved, lock) = try EnvironmentRegistry.lockClosed(path, .replace)
            defer { lock.unlock() }
            try AtomicReplacement.removeLeftovers(of: resolved)
            try StoreCopy(environment: environment, destination: resolved, replaced: replaced).run(replacement.beforeCommit)
        }
    }

    /// Returns the bytes of a store's file that deletions left unused, and that later saves fill.
    ///
    /// - Throws: As `StoreDriver.metadata(at:)`.
    public func unusedByteCount(at path: String) throws -> Int64 {
        try withEnvironment(path, .metadata, isReadOnly: true) { environment in
            try environment.read(.metadata) { transaction in
                var statistics = MDB_stat()
                try unsafe LMDBStatus.check(mdb_env_stat(environment.handle, &statistics), "mdb_env_stat")
                // Each entry of LMDB's first database is a list of free pages, with its length at its beginning.
                let cursor = try unsafe Cursor(transaction.handle, 0)
                var pages: Int64 = 0
                var isFound = try cursor.move(MDB_FIRST)
                while isFound {
                    if let count = unsafe cursor.value.mv_data?.loadUnaligned(as: Int.self) { pages += Int64(count) }
                    isFound = try cursor.move(MDB_NEXT)
                }
                return pages * Int64(statistics.ms_psize)
            }
        }
    }

    /// Replaces a store's file by one without unused space, atomically; objects keep their IDs.
    ///
    /// - Throws: `StoreError` with `locked` while a coordinator or a process has the store open; as `StoreDriver.metadata(at:)`.
    /// - Complexity: O(n) in the file; as much space as the file takes is needed meanwhile.
    public func compact(at path: String) throws {
        _ = try metadataOfFile(at: path)
        try storeErrors(.replace, path: path) {
            try EnvironmentRegistry.whileClosed(path, .replace) { try StoreCopy.compact($0) }
        }
    }

    /// Returns the external values of a store that is about to be removed; `nil` for none, or an unreadable one.
    private func externalValues(at path: String, _ operation: StoreError.Operation) -> ExternalValuesOfStore? {
        try? withEnvironment(path, operation, isReadOnly: true) { try ExternalValuesOfStore($0, operation) }
    }

    private func withEnvironment<T>(
        _ path: String, _ operation: StoreError.Operation, isReadOnly: Bool, _ body: (LMDBEnvironment) throws -> T
    ) throws -> T {
        try storeErrors(operation, path: path) {
            try StoreError.naming(operation, path: path) {
                let options = EnvironmentRegistry.Options(isReadOnly: isReadOnly, initialMapSize: initialMapSize)
                let environment = try EnvironmentRegistry.acquire(path, options)
                defer { EnvironmentRegistry.release(environment) }
                return try body(environment)
            }
        }
    }

    private func storeDatabase(_ environment: LMDBEnvironment) throws -> MDB_dbi {
        try SchemaOpener.findDatabases([(Names.store, .records)], in: environment, until: Deadline(after: 10))
        guard let store = environment.knownDatabase(Names.store) else { throw StoreError.foreign(.metadata, path: environment.path) }
        return store
    }
}
