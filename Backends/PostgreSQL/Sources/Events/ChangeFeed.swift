import StrataSQL
import Synchronization

/// A store's part in the log of changes: under which names it writes, how it notifies other writers, and how it detects their commits.
struct ChangeFeed: ~Copyable {
    /// Identifies the store among all writers of the same tables.
    let writer: String
    let listener: ChangeListener
    private let table: ChangeTable
    /// The number of transactions begun.
    private let begun = Atomic(0)
    /// The number of the store's transactions in the log.
    private let logged = Atomic(0)
    private static let commitsBetweenPrunings = 1_000

    init(schema: String, storeID: StoreID, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection) {
        writer = UUID().uuidString.lowercased()
        listener = ChangeListener(schema, storeID: storeID, writer: writer, connect)
        table = ChangeTable(schema: schema)
    }

    /// Returns the number of a transaction: with ``writer`` it is unique among all stores over the same tables.
    func numberOfNextTransaction() -> Int { begun.add(1, ordering: .relaxed).newValue }

    /// Prunes the log once in a while, without waiting for it.
    func shortenLog(_ connection: Connection) {
        if logged.add(1, ordering: .relaxed).newValue.isMultiple(of: ChangeFeed.commitsBetweenPrunings) {
            connection.post(table.pruning)
        }
    }
}
