import StrataSQL
import Synchronization

/// The reserved references of a store: it takes more than it needs from a hierarchy's sequence, more each time, and assigns the next ones
/// from these (hi/lo).
final class ReferenceAllocator: Sendable {
    struct Reserve {
        private var next: Int64 = 1
        private var end: Int64 = 1
        /// The greatest reference that the sequence is known to have passed.
        var greatest: Int64 = 0
        /// The minimum number of references to take next time.
        private(set) var ahead: Int64 = 32
        /// More would leave gaps in the numbers, and save almost nothing.
        private static let greatestAhead: Int64 = 1024

        private var left: Int64 { end - next }

        /// Takes consecutive references.
        ///
        /// - Returns: The first; `nil` where there are not that many.
        mutating func take(_ count: Int64) -> Int64? {
            if left < count { return nil }
            defer { next += count }
            return next
        }

        /// Adds references, up to the last that a sequence generated.
        mutating func put(_ count: Int64, upTo last: Int64) {
            (next, end, greatest) = (last - count + 1, last + 1, last)
            ahead = min(2 * ahead, Reserve.greatestAhead)
        }

        mutating func add(_ other: Reserve) {
            if other.left > left { (next, end) = (other.next, other.end) }
            greatest = max(greatest, other.greatest)
            ahead = max(ahead, other.ahead)
        }
    }

    private struct State {
        /// By the root of the hierarchy.
        var reserves: [EntityIndex: Reserve] = [:]
        /// The number of lost connections when the reserved references were valid.
        var losses = 0
    }

    private let state = Mutex(State())

    /// Calls `body` with the reserved references of a hierarchy.
    ///
    /// - Parameter losses: The number of lost connections: after each, the server may have crashed and lost what it had not written yet.
    func withReserve<T: Sendable>(_ root: EntityIndex, losses: Int, _ body: @Sendable (inout Reserve) -> T) -> T {
        state.withLock { state in
            if state.losses != losses { state = State(losses: losses) }
            return body(&state.reserves[root, default: Reserve()])
        }
    }
}

/// Assigns references within a transaction.
///
/// A server that crashes loses the position of a sequence, unless a later commit waited for the disk: a transaction that moved a
/// sequence does, even in a store whose commits do not, and shares the rest of its references only afterwards.
final class TransactionReferences {
    private let store: PostgreSQLStore
    private var taken: [EntityIndex: ReferenceAllocator.Reserve] = [:]

    init(_ store: PostgreSQLStore) { self.store = store }

    private func shared<T: Sendable>(_ table: EntityTable, _ body: @Sendable (inout ReferenceAllocator.Reserve) -> T) -> T {
        store.references.withReserve(table.root, losses: store.pool.lossCount, body)
    }

    /// Reserves references, and returns the first.
    ///
    /// - Throws: `StoreError` with `tooLarge` where none are left.
    func reserve(_ count: Int, _ table: EntityTable, _ connection: Connection) throws -> Int64 {
        let count = Int64(max(0, count))
        if let first = shared(table, { $0.take(count) }) ?? taken[table.root]?.take(count) { return first }
        var reserve = taken[table.root] ?? shared(table) { $0 }
        let more = max(count, reserve.ahead)
        let last = try moveSequence(of: table, to: "last_value + \(bind: .bigint(more))", connection)
        reserve.put(more, upTo: last ?? 0)
        defer { taken[table.root] = reserve }
        return reserve.take(count) ?? 0
    }

    /// Records a reference in use, so that none up to it is assigned again.
    func note(_ reference: Int64, _ table: EntityTable, _ connection: Connection) throws {
        let greatest = max(shared(table) { $0.greatest }, taken[table.root]?.greatest ?? 0)
        if greatest >= reference { return }
        let last = try moveSequence(of: table, to: "GREATEST(last_value, \(bind: .bigint(reference)))", connection)
        taken[table.root, default: ReferenceAllocator.Reserve()].greatest = last ?? reference
    }

    /// Shares the rest of the references after the transaction has committed, or is prepared.
    func share() {
        for (root, reserve) in taken { store.references.withReserve(root, losses: store.pool.lossCount) { $0.add(reserve) } }
        taken = [:]
    }

    /// Moves a sequence under a lock; a failed statement keeps the lock until the end of the transaction.
    ///
    /// - Returns: The last reference that the sequence generated.
    private func moveSequence(of table: EntityTable, to value: SQLText, _ connection: Connection) throws -> Int64? {
        let change: SQLText = "SELECT pg_catalog.setval(\(relation: table.sequence), \(value)) FROM \(table.sequence)"
        let lock = AdvisoryLock(.sequence, relation: table.sequence)
        let statements = [lock.statement("pg_advisory_lock"), change, lock.statement("pg_advisory_unlock")]
        let answers = try connection.execute(statements + [SessionSettings.waitingForDiskOnce], .save)
        _ = try answers.result(statements.count, .save)
        return try answers.result(1, .save).integer(0, 0)
    }
}
