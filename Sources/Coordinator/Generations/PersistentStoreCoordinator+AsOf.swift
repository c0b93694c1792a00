import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Holds the state that the stores had at a token of their histories.
    ///
    /// - Throws: `StoreError`, see `ManagedObjectContext.setQueryGeneration(asOf:)`.
    /// - Complexity: O(n) in the changes after the token, and in memory as well.
    package func generation(asOf token: HistoryToken) throws -> QueryGenerationToken {
        let entries = entries.withLock { $0 }
        if let other = token.numbers.keys.min(), !entries.contains(where: { token.numbers[$0.store.id] != nil }) {
            throw StoreError(noStore: other, .fetch)
        }
        // Before the histories are read: they have all transactions of the state then, and more do no harm.
        let present = try holdGeneration()
        let members = try present.members.map { member -> HeldGeneration.Member in
            guard let entry = entries.first(where: { $0.store === member.store }) else { return member }
            let number = token.numbers[entry.store.id]
            guard entry.keepsHistory else {
                if number == nil { return member }
                throw StoreError(.unsupported, .fetch, "the store has no history", path: entry.store.path)
            }
            guard let snapshot = member.snapshot else {
                throw StoreError(.unsupported, .fetch, "the store cannot hold a state", path: entry.store.path)
            }
            return (member.store, try entry.snapshot(of: number ?? 0, before: snapshot, model))
        }
        return QueryGenerationToken(HeldGeneration(members, of: self))
    }
}

extension StoreEntry {
    private static let recordsAtOnce = 256

    /// Returns the state after a transaction of the history, or before all for 0.
    fileprivate func snapshot(
        of number: Int64, before later: any StoreSnapshot, _ model: ManagedObjectModel
    ) throws -> any StoreSnapshot {
        var builder = HistoricalStateBuilder(model, path: store.path, ordersHistory: !store.capabilities.allowsConcurrentWriters)
        builder.lastForeignOrder = try store.metadata().lastForeignOrder
        var query = HistoryQuery(after: number, limit: StoreEntry.recordsAtOnce, includesUnordered: true)
        while true {
            let records = try store.history(query)
            for record in records where !record.marksDeletion { try builder.add(record) }
            guard let last = records.last, records.count == query.limit else { break }
            query.after = last.number
        }
        // Afterwards: they may be deleted meanwhile.
        let renamings = try store.metadata().historyRenamings
        try checkHistory(reaches: number, renamings)
        if renamings.contains(where: { number <= $0.number }) {
            throw StoreError(historyTokenExpired: "the store was migrated after the token", path: store.path)
        }
        return HistoricalSnapshot(later, try later.read { try builder.state(before: $0) }, model)
    }
}
