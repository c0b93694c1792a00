import CStrataLMDB
import StrataEngine
import StrataPlatform

/// The write lock of a file, in this process and among all others; released by its deinitializer.
final class FileWriteLock {
    let environment: LMDBEnvironment
    private let lock: FileLock

    /// Waits for the lock; throws `locked` after the deadline.
    init(_ environment: LMDBEnvironment, _ operation: StoreError.Operation, until deadline: Deadline) throws {
        guard environment.writers.lock.acquire(until: deadline) else {
            throw StoreError(.locked, operation, "lock timeout: another save did not end in time", path: environment.path)
        }
        do {
            try environment.checkUsable(operation)
            // Waits for LMDB's own lock have no timeout, so processes queue for a lock file first.
            let path = environment.writers.lockFile
            lock = try FileLock.tryLock(path) ?? FileLock.lock(path, timeout: .seconds(deadline.remaining))
        } catch {
            environment.writers.lock.release()
            throw environment.absence(operation) ?? StoreError(error, operation, path: environment.path)
        }
        self.environment = environment
    }

    deinit {
        lock.unlock()
        environment.writers.lock.release()
    }
}

extension LMDBEnvironment {
    /// Runs `body` in a write transaction exclusive in the process, and again in a larger map if that is full.
    ///
    /// The caller holds the write lock, or is the only one that knows the file.
    func writeAlone<T>(_ operation: StoreError.Operation, until deadline: Deadline, _ body: (OpaquePointer) throws -> T) throws -> T {
        try alone(operation, until: deadline) {
            while true {
                let transaction = try unsafe beginAlone()
                do {
                    let result: T
                    do {
                        if !isUnlocked { try unsafe checkHead(of: transaction, operation) }
                        result = try unsafe body(transaction)
                        try checkInPlace(operation)
                    } catch {
                        unsafe mdb_txn_abort(transaction)
                        throw error
                    }
                    try unsafe commit(transaction)
                    return result
                } catch let error as LMDBStatus where error.isMapFull {
                    try doubleMap()
                }
            }
        }
    }

    /// Begins a transaction that is alone in the process, in a map of the size that another process has set.
    func beginAlone(_ flags: Int32 = 0) throws -> OpaquePointer {
        // A damaged file may claim another size again and again.
        for _ in 0..<100 {
            do { return try unsafe beginTransaction(handle, flags) } catch let status as LMDBStatus where status.code == MDB_MAP_RESIZED {
                try adoptMapSize()
            }
        }
        return try unsafe beginTransaction(handle, flags)
    }

    /// Commits a write transaction within the gate; the transaction is over, whatever the status.
    func commit(_ transaction: OpaquePointer) throws {
        let answer = unsafe mdb_txn_commit(transaction)
        // LMDB reports a write on a full disk as an I/O error; it comes before the head is written.
        let status = answer == EIO && isDiskFull ? ENOSPC : answer
        try LMDBStatus.check(status, "mdb_txn_commit")
        extendFileToLastPage()
    }
}
