import CStrataLMDB
import StrataEngine

/// A held read transaction.
///
/// Between reads it has no pointers into the map, which may grow. While it exists, freed pages are not reused.
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
            return try store.environment.keepingSnapshot(.fetch) { try body(store.reader(of: transaction)) }
        }
    }
}

extension LMDBStore {
    func holdSnapshot() throws -> (any StoreSnapshot)? {
        try checkOpen(.fetch)
        // Writers do not see readers without a lock file.
        if environment.isUnlocked { return nil }
        let path = environment.path
        return try storeErrors(.fetch, path: path) { [environment] in
            // Used between entering and leaving the gate only, as the map may grow.
            let transaction = try environment.startReading(.fetch)
            environment.leave()
            let hold = snapshots.hold(transaction) { transaction in
                // Otherwise closing the file has ended it.
                guard environment.isOfThisProcess, environment.gate.enter() else { return }
                environment.readerTable?.restoreLength()
                unsafe mdb_txn_abort(transaction.handle)
                environment.leave()
            }
            try hold.use(orThrow: StoreError.closed(.fetch, path: path)) { transaction in
                try environment.enter(.fetch)
                defer { environment.leave() }
                try unsafe checkGeneration(transaction.handle, .fetch)
            }
            return LMDBSnapshot(self, hold)
        }
    }
}
