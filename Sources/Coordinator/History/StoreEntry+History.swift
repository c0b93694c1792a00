import StrataStore
import Synchronization

extension StoreEntry {
    /// A mask of the numbers at which the policy is applied: one in 64.
    static let purgeInterval: Int64 = 63
    /// A mask of the numbers at which the bytes of the history are counted again.
    static let countInterval: Int64 = 4095

    /// Gives a store that is opened with a policy a history, and notes whether it has one.
    ///
    /// - Throws: `StoreError` with `unsupported` where the store cannot have one, or cannot keep before-images.
    func beginHistory(_ stored: StoreMetadata) throws {
        var metadata = stored
        if let policy = description.options.history, !policy.isFollowed(by: metadata) {
            guard store.capabilities.keepsHistory else {
                throw StoreError(.unsupported, .open, "the store does not support a history", path: store.path)
            }
            guard policy.keepsValues != true || store.capabilities.keepsHistoryValues else {
                throw StoreError(.unsupported, .open, "the store's history cannot keep values", path: store.path)
            }
            if !store.isReadOnly { metadata = try store.changeHistory(to: policy) }
        }
        history.isKept.store(metadata.keepsHistory, ordering: .relaxed)
        history.keepsValues.store(metadata.keepsHistoryValues, ordering: .relaxed)
    }

    /// Deletes the transactions that the policy does not keep, up to those that a consumer has not handled.
    ///
    /// - Parameter number: The number of the transaction that was added.
    /// - Complexity: O(n) in the deleted transactions; in all, where their size is unknown.
    func applyHistoryPolicy(in transaction: any StoreTransaction, after number: Int64) throws {
        guard let policy = description.options.history, policy.maximumAge != nil || policy.maximumByteCount != nil else { return }
        let earliest = policy.maximumAge.map { Date().timeIntervalSinceReferenceDate - $0 } ?? -.infinity
        var excess = 0
        if let most = policy.maximumByteCount {
            // Other processes add to it, too.
            if history.byteCount.load(ordering: .relaxed) < 0 || number & StoreEntry.countInterval <= StoreEntry.purgeInterval {
                let all = try store.history(HistoryQuery(includesBodies: false))
                history.byteCount.store(all.reduce(0) { $0 + $1.byteCount }, ordering: .relaxed)
            }
            excess = history.byteCount.load(ordering: .relaxed) - most
            // Some more, so that not every transaction deletes one.
            if excess > 0 { excess += most / 8 }
        }
        var query = HistoryQuery(limit: 64, includesBodies: false)
        var last: HistoryRecord?
        search: while true {
            let records = try store.history(query)
            for record in records {
                guard record.marksDeletion || record.time < earliest || excess > 0 else { break search }
                excess -= record.byteCount
                last = record
            }
            guard records.count == query.limit, let end = records.last else { break }
            query.after = end.number
        }
        if let last { _ = try deleteHistory(through: last.number, in: transaction) }
    }

    /// Deletes the transactions up to a number, none that a consumer has not handled; returns how many.
    func deleteHistory(through number: Int64, in transaction: any StoreTransaction) throws -> Int {
        var metadata = try transaction.metadata()
        var number = number
        let now = Date().timeIntervalSinceReferenceDate
        var dropsConsumer = false
        for (name, consumer) in metadata.historyConsumers ?? [:] where !consumer.isDropped && consumer.number < number {
            if let timeout = consumer.timeout, now - consumer.lastSeen > timeout {
                metadata.historyConsumers?[name]?.isDropped = true
                dropsConsumer = true
            } else {
                number = consumer.number
            }
        }
        let records = try store.history(HistoryQuery(through: number, includesBodies: false))
        guard let last = records.last, !last.marksDeletion else { return 0 }
        if dropsConsumer { _ = try transaction.apply(ChangeSet(metadata: metadata)) }
        try transaction.deleteHistory(through: .deleted(through: last.number, time: last.time))
        history.byteCount.subtract(records.reduce(0) { $0 + $1.byteCount }, ordering: .relaxed)
        return records.count { !$0.marksDeletion }
    }
}

extension StoreEntry {
    /// How far the numbers go on where those of transactions that cannot be read are unknown.
    private static let numberGap: Int64 = 1 << 40

    /// Replaces the history by a mark whose number is greater than those of all transactions.
    fileprivate func replaceHistory(in transaction: any StoreTransaction) throws {
        var metadata = try transaction.metadata()
        let consumers = metadata.historyConsumers ?? [:]
        let known = max(consumers.values.map(\.number).max() ?? 0, metadata.historyBeginning)
        let found = (try? lastHistoryNumber()) ?? 0
        guard max(known, found) < .max - 2 * StoreEntry.numberGap else {
            throw StoreError(.tooLarge, .save, "the history has no number left for a transaction", path: store.path)
        }
        let last = found > 0 && found >= known ? found : (known / StoreEntry.numberGap + 1) * StoreEntry.numberGap
        let mark = HistoryRecord.deleted(through: last + 1, time: Date().timeIntervalSinceReferenceDate)
        metadata.historyBeginning = mark.number
        metadata.historyConsumers = consumers.mapValues { consumer in
            var consumer = consumer
            consumer.isDropped = true
            return consumer
        }
        _ = try transaction.apply(ChangeSet(metadata: metadata))
        try transaction.replaceHistory(by: mark)
        history.byteCount.store(.min / 2, ordering: .relaxed)
    }
}

extension HistoryPolicy {
    fileprivate func isFollowed(by metadata: StoreMetadata) -> Bool {
        metadata.keepsHistory && (keepsValues ?? metadata.keepsHistoryValues) == metadata.keepsHistoryValues
    }
}

extension StoreBackend {
    /// Begins the history, or changes whether it keeps before-images; returns the new metadata.
    fileprivate func changeHistory(to policy: HistoryPolicy) throws -> StoreMetadata {
        let transaction = try beginWrite()
        return try transaction.orRollback {
            var metadata = try transaction.metadata()
            // Another process may have been faster.
            if policy.isFollowed(by: metadata) {
                transaction.rollback()
                return metadata
            }
            metadata.historyConsumers = metadata.historyConsumers ?? [:]
            if let keepsValues = policy.keepsValues { metadata.keepsHistoryValues = keepsValues }
            try transaction.commit(metadata)
            return metadata
        }
    }
}

extension PersistentStoreCoordinator {
    /// Changes the registered consumers of a store's history.
    func changeConsumers(of entry: StoreEntry, _ body: (inout [String: StoreMetadata.HistoryConsumer]) -> Void) throws {
        try write(toStore: { try requireEntry(storeID: entry.store.id, .save) }, isRepeatable: true) { _, writer in
            var metadata = try writer.transaction.metadata()
            var consumers = metadata.historyConsumers ?? [:]
            body(&consumers)
            metadata.historyConsumers = consumers
            _ = try writer.transaction.apply(ChangeSet(metadata: metadata))
        }
    }

    /// Begins the history of a store anew.
    func replaceHistory(of entry: StoreEntry) throws {
        try write(toStore: { try requireEntry(storeID: entry.store.id, .save) }, isRepeatable: true) { entry, writer in
            try entry.replaceHistory(in: writer.transaction)
        }
    }

    /// Deletes the transactions of a store before a position; returns how many.
    func deleteHistory(before position: HistoryRequest.Start, of entry: StoreEntry) throws -> Int {
        let number: Int64?
        switch position {
        case .beginning: number = nil
        case .token(let token): number = token.numbers[entry.store.id].map { $0 - 1 }
        case .transaction(let transaction): number = transaction.storeID == entry.store.id ? transaction.number - 1 : nil
        case .date(let date):
            let records = try entry.store.history(HistoryQuery(includesBodies: false))
            number = records.prefix { $0.time < date.timeIntervalSinceReferenceDate }.last?.number
        }
        guard let number, number > 0 else { return 0 }
        return try write(toStore: { try requireEntry(storeID: entry.store.id, .save) }, isRepeatable: true) { entry, writer in
            try entry.deleteHistory(through: number, in: writer.transaction)
        }
    }
}
