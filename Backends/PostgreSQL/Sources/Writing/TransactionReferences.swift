import StrataModel
import StrataSQL
import StrataStore

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
        let last = try moveSequence(of: table, connection) { sql in
            sql.add("last_value + \(bind: .bigint(more))")
        }
        room.put(more, upTo: last ?? 0)
        defer { taken[table.root] = room }
        return room.take(count) ?? 0
    }

    /// Takes note of a reference in use: none up to it is given out again.
    func note(_ reference: Int64, _ table: EntityTable, _ connection: Connection) throws {
        let greatest = max(shared(table) { $0.greatest }, taken[table.root]?.greatest ?? 0)
        if greatest >= reference { return }
        let last = try moveSequence(of: table, connection) { sql in
            sql.add("GREATEST(last_value, \(bind: .bigint(reference)))")
        }
        taken[table.root, default: ReferenceAllocator.Room()].greatest = last ?? reference
    }

    /// The transaction has committed, or is prepared: what is left is for others.
    func share() {
        for (root, room) in taken { store.references.withRoom(root, losses: store.pool.lossCount) { $0.add(room) } }
        taken = [:]
    }

    /// Moves a sequence while nobody else does; a statement that fails leaves the lock to the end of the transaction.
    ///
    /// - Parameter addValue: Adds where to.
    /// - Returns: The last reference that the sequence gave out then.
    private func moveSequence(of table: EntityTable, _ connection: Connection, _ addValue: (inout SQLText) -> Void) throws -> Int64? {
        var change = SQLText("SELECT pg_catalog.setval(\(relation: table.sequence), ")
        addValue(&change)
        change.add(") FROM \(table.sequence)")
        let lock = AdvisoryLock(.sequence, relation: table.sequence)
        let statements = [lock.statement("pg_advisory_lock"), change, lock.statement("pg_advisory_unlock")]
        let answers = try connection.execute(statements + [SessionSettings.waitingForDiskOnce], .save)
        _ = try answers.result(statements.count, .save)
        return try answers.result(1, .save).integer(0, 0)
    }
}
