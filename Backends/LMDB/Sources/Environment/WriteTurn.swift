import CLMDB
import Glibc
import StrataFiles
import StrataStore

/// The turn to write a file, in this process and among all others; given back when it is released.
final class WriteTurn {
    let environment: LMDBEnvironment
    private let lock: FileLock

    /// Waits for the turn.
    ///
    /// - Throws: ``StoreError`` with `locked` after the deadline.
    init(_ environment: LMDBEnvironment, _ operation: String, until deadline: Deadline) throws {
        guard environment.turn.take(until: deadline) else {
            throw StoreError(.locked, operation, "another save took too long", path: environment.path)
        }
        do {
            try environment.checkUsable(operation)
            // LMDB's own lock would be waited for without end, so processes queue for a file first.
            lock = try FileLock.lock(
                LockFile.writing.path(beside: environment.path),
                timeout: .seconds(deadline.remaining)
            )
        } catch {
            environment.turn.give()
            throw StoreError(error, operation, path: environment.path)
        }
        self.environment = environment
    }

    deinit {
        lock.unlock()
        environment.turn.give()
    }

    /// Begins a write transaction, which belongs to the calling thread.
    func begin(until deadline: Deadline) throws -> OpaquePointer {
        while true {
            var transaction: OpaquePointer?
            let status = mdb_txn_begin(environment.handle, nil, 0, &transaction)
            if status == MDB_MAP_RESIZED {
                try environment.changeMapSize(to: 0, until: deadline)
                continue
            }
            try LMDBStatus.check(status, "mdb_txn_begin")
            guard let transaction else { throw LMDBStatus(code: EINVAL, call: "mdb_txn_begin") }
            return transaction
        }
    }

    /// Runs `body` in a transaction of its own while nobody else in the process uses the file, and again in a larger map where it fills it.
    func alone<T>(until deadline: Deadline, _ body: (OpaquePointer) throws -> T) throws -> T {
        guard environment.gate.close(until: deadline) else {
            throw StoreError(.locked, "open", "another store of the process is busy with the file", path: environment.path)
        }
        defer { environment.gate.open() }
        while true {
            var transaction: OpaquePointer?
            let status = mdb_txn_begin(environment.handle, nil, 0, &transaction)
            if status == MDB_MAP_RESIZED {
                try LMDBStatus.check(mdb_env_set_mapsize(environment.handle, 0), "mdb_env_set_mapsize")
                continue
            }
            try LMDBStatus.check(status, "mdb_txn_begin")
            guard let transaction else { throw LMDBStatus(code: EINVAL, call: "mdb_txn_begin") }
            do {
                let result: T
                do { result = try body(transaction) } catch {
                    mdb_txn_abort(transaction)
                    throw error
                }
                try LMDBStatus.check(mdb_txn_commit(transaction), "mdb_txn_commit")
                environment.extendFileToLastPage()
                return result
            } catch let error as LMDBStatus where error.isMapFull {
                try LMDBStatus.check(mdb_env_set_mapsize(environment.handle, environment.mapSize * 2), "mdb_env_set_mapsize")
            }
        }
    }
}
