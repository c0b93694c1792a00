import CStrataLMDB
import StrataEngine
import StrataPlatform
import Synchronization

extension LMDBStore {
    func beginCopy() throws -> (any PendingCopy)? {
        guard let snapshot = try holdSnapshot() else { return nil }
        return try storeErrors(.backUp, path: environment.path) { try LMDBCopy(self, snapshot) }
    }
}

/// A compact copy of a store's file, which LMDB writes into a pipe.
///
/// LMDB copies a transaction that it begins itself. It does so in an environment without locks, beside the one that is
/// open, whose map may grow meanwhile; a held snapshot keeps the pages from being reused. Once the first bytes have
/// arrived the transaction has begun.
final class LMDBCopy: PendingCopy {
    private let store: LMDBStore
    private let snapshot: any StoreSnapshot
    private let output: CopyOutput
    private let total: Int
    private var head: [UInt8]

    init(_ store: LMDBStore, _ snapshot: any StoreSnapshot) throws {
        self.store = store
        self.snapshot = snapshot
        let path = store.environment.path
        total = try PosixFileSystem.shared.status(of: path).size
        output = try CopyOutput(path, mapSize: total, of: store.environment.identity)
        head = try output.next()
    }

    func write(to path: String, linkingValuesOf earlier: String?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        try StoreError.naming(.backUp, path: path) {
            try storeErrors(.backUp, path: path) {
                let file = try PosixFileSystem.shared.open(path, .createExclusive(permissions: 0o600))
                var offset = 0
                while !head.isEmpty {
                    try file.write(head, at: offset)
                    offset += head.count
                    try progress(min(offset, total), total)
                    head = try output.next()
                }
                try file.synchronize()
                try file.close()
                // During the snapshot, the files that it references are not removed.
                try withExtendedLifetime(snapshot) {
                    try store.externalData.copy(
                        names(inCopy: path), to: ExternalDataDirectory(storePath: path),
                        linking: earlier.map { ExternalDataDirectory(storePath: $0) })
                }
            }
        }
    }

    private func names(inCopy path: String) throws -> Set<String> {
        let environment = try EnvironmentRegistry.acquire(path, EnvironmentRegistry.Options(isReadOnly: true))
        defer { EnvironmentRegistry.release(environment) }
        return try ExternalValuesOfStore(environment, .backUp).names
    }
}

/// What LMDB writes into a pipe, on a thread of its own.
private final class CopyOutput: Sendable {
    /// The environment of the copy, which the thread closes.
    // Unchecked: one thread uses it.
    @safe private struct Source: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private final class Outcome: Sendable {
        /// LMDB's result, once the pipe has ended.
        let status = Atomic<Int32>(0)
    }

    private let outcome = Outcome()
    private let descriptor: Int32

    init(_ path: String, mapSize: Int, of identity: FileIdentity) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw LMDBStatus(code: errno, call: "pipe") }
        descriptor = ends[0]
        let input = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let source: Source
        do {
            let options = EnvironmentRegistry.Options(isReadOnly: true)
            // LMDB refuses to open a file twice for the sake of its lock file only.
            source = unsafe Source(
                handle: try EnvironmentRegistry.openHandle(path, options, mapSize: mapSize, flags: MDB_RDONLY | MDB_NOLOCK))
        } catch {
            StrataPlatform.close(input)
            throw error
        }
        let outcome = outcome
        let isRunning =
            try unsafe OpenedFile(source.handle, path).identity == identity
            && OwnThread.run {
                let status = unsafe mdb_env_copyfd2(source.handle, input, UInt32(MDB_CP_COMPACT))
                outcome.status.store(status, ordering: .releasing)
                StrataPlatform.close(input)
                unsafe mdb_env_close(source.handle)
            }
        if isRunning { return }
        StrataPlatform.close(input)
        unsafe mdb_env_close(source.handle)
        throw LMDBStatus(code: EAGAIN, call: "mdb_env_copyfd2")
    }

    deinit {
        // LMDB ends with an error where it still writes.
        StrataPlatform.close(descriptor)
    }

    /// Returns the next bytes; none at the end.
    func next() throws -> [UInt8] {
        let capacity = 1 << 20
        var (count, code): (Int, Int32) = (0, 0)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            // A pipe gives a little at a time.
            repeat {
                count = unsafe StrataPlatform.read(descriptor, buffer.baseAddress.map { unsafe $0 + filled }, capacity - filled)
                code = count < 0 ? errno : 0
                if count > 0 { filled += count }
            } while (count > 0 && filled < capacity) || code == EINTR
        }
        if count < 0 { throw LMDBStatus(code: code, call: "read") }
        let status = outcome.status.load(ordering: .acquiring)
        if count == 0 { try LMDBStatus.check(status, "mdb_env_copyfd2") }
        return bytes
    }
}
