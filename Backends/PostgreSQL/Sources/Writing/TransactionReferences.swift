import StrataSQL
import Synchronization

/// The references that a store has at hand: it takes more than it needs from a hierarchy's sequence, more each time, and gives out the next ones from
/// these.
final class ReferenceAllocator: Sendable {
    struct Room {
        private var next: Int64 = 1
        private var end: Int64 = 1
        /// The greatest reference that is known to be behind the sequence.
        var greatest: Int64 = 0
        /// How many references are taken at least the next time.
        private(set) var ahead: Int64 = 32
        /// More would make gaps in the numbers, and spare next to nothing.
        private static let greatestAhead: Int64 = 1024

        private var left: Int64 { end - next }

        /// Takes references out.
        ///
        /// - Returns: The first; `nil` where there are not so many.
        mutating func take(_ count: Int64) -> Int64? {
            if left < count { return nil }
            defer { next += count }
            return next
        }

        /// Takes references in, the last that a sequence gave out among them.
        mutating func put(_ count: Int64, upTo last: Int64) {
            (next, end, greatest) = (last - count + 1, last + 1, last)
            ahead = min(2 * ahead, Room.greatestAhead)
        }

        mutating func add(_ other: Room) {
            if other.left > left { (next, end) = (other.next, other.end) }
            greatest = max(greatest, other.greatest)
            ahead = max(ahead, other.ahead)
        }
    }

    private struct State {
        /// By the root of the hierarchy.
        var rooms: [EntityIndex: Room] = [:]
        /// How many connections had been lost when the rooms were known.
        var losses = 0
    }

    private let state = Mutex(State())

    /// What there is of a hierarchy.
    ///
    /// - Parameter losses: How many connections were lost: with each the server may have crashed, and forgotten what it had not written yet.
    func withRoom<T: Sendable>(_ root: EntityIndex, losses: Int, _ body: @Sendable (inout Room) -> T) -> T {
        state.withLock { state in
            if state.losses != losses { state = State(losses: losses) }
            return body(&state.rooms[root, default: Room()])
        }
    }
}

/// Gives out references within a transaction.
///
/// A server that crashes forgets what a sequence gave out, unless a commit waited for the disk since: the one of a transaction that moved it
/// does, also of a store whose others do not, and what is left of its references is for others afterwards.
final class TransactionReferences {
    private let store: PostgreSQLStore
    private var taken: [EntityIndex: ReferenceAllocator.Room] = [:]

    init(_ store: PostgreSQLStore) { self.store = store }

    private func shared<T: Sendable>(_ table: EntityTable, _ body: @Sendable (inout ReferenceAllocator.Room) -> T) -> T {
        store.references.withRoom(table.root, losses: store.pool.lossCount, body)
    }

    /// Sets references aside, and returns the first.
    ///
    /// - Throws: `StoreError` with `tooLarge` where none are left.
    func reserve(_ count: Int, _ table: EntityTable, _ connection: Connection) throws -> Int64 {
        let count = Int64(max(0, count))
        if let first = shared(table, { $0.take(count) }) ?? taken[table.root]?.take(count) { return first }
        var room = taken[table.root] ?? shared(table) { $0 }
        let more = max(count, room.ahead)
        let last = try moveSequence(of: table, to: "last_value + \(bind: .bigint(more))", connection)
        room.put(more, upTo: last ?? 0)
        defer { taken[table.root] = room }
        return room.take(count) ?? 0
    }

    /// Takes note of a reference in use: none up to it is given out again.
    func note(_ reference: Int64, _ table: EntityTable, _ connection: Connection) throws {
        let greatest = max(shared(table) { $0.greatest }, taken[table.root]?.greatest ?? 0)
        if greatest >= reference { return }
        let last = try moveSequence(of: table, to: "GREATEST(last_value, \(bind: .bigint(reference)))", connection)
        taken[table.root, default: ReferenceAllocator.Room()].greatest = last ?? reference
    }

    /// The transaction has committed, or is prepared: what is left is for others.
    func share() {
        for (root, room) in taken { store.references.withRoom(root, losses: store.pool.lossCount) { $0.add(room) } }
        taken = [:]
    }

    /// Moves a sequence while nobody else does; a statement that fails leaves the lock to the end of the transaction.
    ///
    /// - Returns: The last reference that the sequence gave out then.
    private func moveSequence(of table: EntityTable, to value: SQLText, _ connection: Connection) throws -> Int64? {
        let change: SQLText = "SELECT pg_catalog.setval(\(relation: table.sequence), \(value)) FROM \(table.sequence)"
        let lock = AdvisoryLock(.sequence, relation: table.sequence)
        let statements = [lock.statement("pg_advisory_lock"), change, lock.statement("pg_advisory_unlock")]
        let answers = try connection.execute(statements + [SessionSettings.waitingForDiskOnce], .save)
        _ = try answers.result(statements.count, .save)
        return try answers.result(1, .save).integer(0, 0)
    }
}
