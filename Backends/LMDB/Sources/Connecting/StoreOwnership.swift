import CStrataLMDB
import StrataStore

/// Determines whether a file is a store of this kind, so that no other file is removed or replaced.
struct StoreOwnership {
    let path: String
    let operation: StoreError.Operation

    /// Checks the file at the path, if there is one, without creating or changing a file.
    ///
    /// A file that is open in this process is a store. Reads a few pages of a sound file; a damaged one up to a record.
    ///
    /// - Throws: `StoreError` with `foreign` or `wrongType` if it is no store.
    func check() throws {
        let path = try PosixFileSystem.shared.resolvingLinks(path)
        guard let status = try PosixFileSystem.shared.statusIfPresent(of: path) else { return }
        try status.requireRegularFile(operation, path: path)
        if EnvironmentRegistry.isOpen(status.identity) { return }
        do {
            guard try MetaPages.check(path) == .sound else { return }
        } catch let error as StoreError {
            guard error.code == .corrupt else { throw StoreError(error.code, operation, error.message, path: path) }
            guard try holdsTraces(path) else { throw StoreError.foreign(operation, path: path) }
            return
        }
        guard try holdsStore(path) else { throw StoreError.foreign(operation, path: path) }
    }

    /// Returns whether a sound file has the record of every store, read without creating lock files.
    private func holdsStore(_ path: String) throws -> Bool {
        let options = EnvironmentRegistry.Options(isReadOnly: true)
        let handle = try unsafe EnvironmentRegistry.openHandle(
            path, options, mapSize: options.initialMapSize, flags: MDB_RDONLY | MDB_NOLOCK)
        defer { unsafe mdb_env_close(handle) }
        let transaction = try unsafe beginTransaction(handle, MDB_RDONLY)
        defer { unsafe mdb_txn_abort(transaction) }
        var statistics = MDB_stat()
        try unsafe LMDBStatus.check(mdb_env_stat(handle, &statistics), "mdb_env_stat")
        // A file without databases would be filled.
        if statistics.ms_entries == 0 { return true }
        var store: MDB_dbi = 0
        let status = unsafe mdb_dbi_open(transaction, Names.store, 0, &store)
        if status == MDB_INCOMPATIBLE { return false }
        guard try LMDBStatus.found(status, "mdb_dbi_open"), let format = try unsafe Records.get(transaction, store, Names.format) else {
            return false
        }
        return unsafe format.bytes.starts(with: StoreOwnership.trace)
    }

    /// The beginning of the format's sealed record, in any version.
    private static let trace: [UInt8] = {
        var writer = ByteWriter()
        writer.put(text: SchemaOpener.magic)
        return writer.bytes
    }()

    /// Returns whether a file with untrusted pages contains that record.
    private func holdsTraces(_ path: String) throws -> Bool {
        let file = try PosixFileSystem.shared.open(path, .read)
        let (size, trace) = (1 << 20, StoreOwnership.trace)
        var offset = 0
        while true {
            let block = try file.bytes(at: offset, count: size + trace.count)
            if unsafe block.withUnsafeBytes({ unsafe contains(trace, in: $0) }) { return true }
            if block.count < size + trace.count { return false }
            offset += size
        }
    }

    private func contains(_ trace: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.count >= trace.count else { return false }
        return unsafe trace.withUnsafeBytes { unsafe strata_contains(start, bytes.count, $0.baseAddress, $0.count) != 0 }
    }
}
