import StrataModel
import StrataStore
import Synchronization

/// Gives out references: a store takes more than it needs from a tree's sequence, more each time, and the next ones from these.
final class ReferenceAllocator: Sendable {
    private struct Room {
        var next: Int64 = 1
        var end: Int64 = 1
        /// The greatest reference that is known to be behind the sequence.
        var greatest: Int64 = 0
        /// How many references are taken at least the next time.
        var ahead = ReferenceAllocator.leastAhead
    }

    /// By the root of the tree.
    private let rooms = Mutex<[EntityIndex: Room]>([:])
    private static let leastAhead: Int64 = 32
    /// More would make gaps in the numbers, and spare next to nothing.
    private static let greatestAhead: Int64 = 1024

    /// Sets references aside, and returns the first.
    ///
    /// - Throws: `StoreError` with `tooLarge` where none are left.
    func reserve(_ count: Int, _ table: EntityTable, _ connection: Connection) throws -> Int64 {
        let count = Int64(max(0, count))
        let room = rooms.withLock { rooms in
            let room = rooms[table.root, default: Room()]
            if room.end - room.next >= count { rooms[table.root]?.next += count }
            return room
        }
        if room.end - room.next >= count { return room.next }
        let taken = max(count, room.ahead)
        var sql = SQLText("SELECT pg_catalog.setval(")
        sql.add(relation: table.sequence)
        sql.add(", last_value + ")
        sql.bind(.bigint(taken))
        sql.add(") FROM ")
        sql.add(table.sequence)
        let last = try alone(sql, table, connection) ?? 0
        let first = last - taken + 1
        let ahead = min(2 * room.ahead, ReferenceAllocator.greatestAhead)
        rooms.withLock { $0[table.root] = Room(next: first + count, end: last + 1, greatest: last, ahead: ahead) }
        return first
    }

    /// Takes note of a reference in use: none up to it is given out again.
    func note(_ reference: Int64, _ table: EntityTable, _ connection: Connection) throws {
        let isKnown = rooms.withLock { $0[table.root].map { $0.greatest >= reference } ?? false }
        if isKnown { return }
        var sql = SQLText("SELECT pg_catalog.setval(")
        sql.add(relation: table.sequence)
        sql.add(", GREATEST(last_value, ")
        sql.bind(.bigint(reference))
        sql.add(")) FROM ")
        sql.add(table.sequence)
        let last = try alone(sql, table, connection) ?? reference
        rooms.withLock { $0[table.root] = Room(next: last, end: last, greatest: last) }
    }

    /// Changes a sequence while nobody else does; a statement that fails leaves the lock to the end of the transaction.
    ///
    /// - Returns: The last reference that the sequence gave out then.
    private func alone(_ change: SQLText, _ table: EntityTable, _ connection: Connection) throws -> Int64? {
        let lock = AdvisoryLock(.sequence, relation: table.sequence)
        let statements = [lock.statement("pg_advisory_lock"), change, lock.statement("pg_advisory_unlock")]
        let answers = try connection.execute(statements, .save)
        _ = try answers.result(2, .save)
        return try answers.result(1, .save).integer(0, 0)
    }
}
