import CStrataLMDB
import StrataEngine
import StrataStore

/// A read transaction that is held.
///
/// Between two reads nothing of it points into the map, which may grow meanwhile. As long as it is there the pages that saves give up are not
/// used again: the file grows.
final class LMDBSnapshot: StoreSnapshot {
    private let store: LMDBStore
    private let transaction: SnapshotHold<ReadTransaction>

    init(_ store: LMDBStore, _ transaction: SnapshotHold<ReadTransaction>) {
        self.store = store
        self.transaction = transaction
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try store.checkOpen(.fetch)
        return try transaction.use(orThrow: StoreError.closed(.fetch, path: store.environment.path)) { transaction in
            try store.environment.enter(.fetch)
            defer { store.environment.leave() }
            return try body(store.reader(of: transaction))
        }
    }
}

extension LMDBStore {
    func holdSnapshot() throws -> (any StoreSnapshot)? {
        try checkOpen(.fetch)
        // Writers do not know of readers without a lock file.
        if environment.isUnlocked { return nil }
        let path = environment.path
        return try storeErrors(.fetch, path: path) { [environment] in
            let transaction = try environment.startHolding()
            let hold = snapshots.hold(transaction) { environment.endHolding($0) }
            try hold.use(orThrow: StoreError.closed(.fetch, path: path)) { transaction in
                try environment.enter(.fetch)
                defer { environment.leave() }
                try unsafe checkGeneration(transaction.handle, .fetch)
            }
            return LMDBSnapshot(self, hold)
        }
    }
}

extension LMDBEnvironment {
    /// Starts a read transaction that stays; it is used between ``enter(_:)`` and ``leave()`` only, so that the map can grow meanwhile.
    func startHolding() throws -> ReadTransaction {
        let transaction = try startReading(.fetch)
        leave()
        return transaction
    }

    /// Ends such a transaction, unless the file was closed, and it with it.
    func endHolding(_ transaction: ReadTransaction) {
        guard isOfThisProcess, gate.enter() else { return }
        unsafe mdb_txn_abort(transaction.handle)
        leave()
    }
}
