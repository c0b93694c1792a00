import StrataSQL
import Synchronization

/// Serializes the transactions that repeat one which failed because of a concurrent one.
struct RepetitionLock: ~Copyable {
    /// A session acquires it before its transaction begins: a lock of the transaction would be held by the prepared transaction, for
    /// as long as it is in doubt.
    private let lock: AdvisoryLock
    /// The number of transactions that failed and were not repeated yet.
    private let conflicts = Atomic(0)

    init(schema: String) { lock = AdvisoryLock(.repetition, hashOf: "\(literal: schema)") }

    /// Records that a transaction failed because of a concurrent one: the next one is serialized with other repetitions.
    func noteConflict() { conflicts.add(1, ordering: .relaxed) }

    /// Returns whether the next transaction repeats one that failed.
    func takeConflict() -> Bool {
        if conflicts.load(ordering: .relaxed) <= 0 { return false }
        if conflicts.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
        conflicts.add(1, ordering: .relaxed)
        return false
    }

    func acquire(_ connection: Connection) throws { try connection.execute(lock.statement("pg_advisory_lock"), .save) }

    /// Releases the lock for the next repeated transaction, once the one of a connection is over.
    func release(_ connection: Connection) {
        if connection.isBroken { return }
        if connection.isInTransaction { _ = try? connection.run(SQLText("ROLLBACK"), .save) }
        connection.post(lock.statement("pg_advisory_unlock"))
    }
}
