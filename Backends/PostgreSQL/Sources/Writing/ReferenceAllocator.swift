import StrataModel
import StrataStore
import Synchronization

/// Gives out references: a store takes some more than it needs from a tree's sequence, and the next ones from these.
final class ReferenceAllocator: Sendable {
    private struct Room {
        var next: Int64 = 1
        var end: Int64 = 1
        /// The greatest reference that is known to be behind the sequence.
        var greatest: Int64 = 0
    }

    /// By the root of the tree.
    private let rooms = Mutex<[EntityIndex: Room]>([:])
    /// How many references are taken at least.
    private static let least = 32
    /// What the numbers of advisory locks begin with that are the store's.
    private static let lockSpace = 0x5374_7261

    /// Sets references aside, and returns the first.
    ///
    /// - Throws: `StoreError` with `tooLarge` where none are left.
    func reserve(_ count: Int, _ table: EntityTable, _ connection: Connection) throws -> Int64 {
        let count = Int64(max(0, count))
        let known: Int64? = rooms.withLock { rooms in
            guard let room = rooms[table.root], room.end - room.next >= count else { return nil }
            rooms[table.root]?.next += count
            return room.next
        }
        if let known { return known }
        let taken = max(count, Int64(ReferenceAllocator.least))
        var sql = SQLText("SELECT pg_catalog.setval(")
        sql.add(relation: table.sequence)
        sql.add(", last_value + ")
        sql.bind(.bigint(taken))
        sql.add(") FROM ")
        sql.add(table.sequence)
        let last = try alone(table, connection) { try connection.execute(sql, .save).integer(0, 0) ?? 0 }
        let first = last - taken + 1
        rooms.withLock { $0[table.root] = Room(next: first + count, end: last + 1, greatest: last) }
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
        let last = try alone(table, connection) { try connection.execute(sql, .save).integer(0, 0) ?? reference }
        rooms.withLock { $0[table.root] = Room(next: last, end: last, greatest: last) }
    }

    /// Nobody else changes the sequence meanwhile; a statement that fails leaves the lock to the end of the transaction.
    private func alone<T>(_ table: EntityTable, _ connection: Connection, _ body: () throws -> T) throws -> T {
        func lock(_ function: StaticString) -> SQLText {
            var sql = SQLText("SELECT pg_catalog.")
            sql.add(function)
            sql.add("(")
            sql.add(number: ReferenceAllocator.lockSpace)
            sql.add(", (")
            sql.add(relation: table.sequence)
            sql.add("::pg_catalog.regclass::oid::bigint & 2147483647)::integer)")
            return sql
        }
        try connection.execute(lock("pg_advisory_lock"), .save)
        let result = try body()
        try connection.execute(lock("pg_advisory_unlock"), .save)
        return result
    }
}
