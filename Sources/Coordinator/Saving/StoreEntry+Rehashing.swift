import StrataModel
import StrataStore
import Synchronization

extension StoreEntry {
    /// Marks a store that an earlier version of Strata hashed, so that the next save writes Core Data's version hashes.
    func noteEarlierHashes(_ metadata: StoreMetadata, _ model: ManagedObjectModel) {
        guard metadata.hasEarlierHashes, metadata.isCompatible(with: model, configuration: description.configuration) else { return }
        activity.hasEarlierHashes.store(true, ordering: .relaxed)
    }

    /// Writes Core Data's version hashes after changes that were not given as a change set.
    func rehash(in transaction: any StoreTransaction, _ model: ManagedObjectModel) throws {
        let changes = try rehashing(ChangeSet(), in: transaction, model)
        if changes.metadata != nil { _ = try transaction.apply(changes) }
    }

    /// Adds Core Data's version hashes to the changes of a save, where the store has an earlier version's.
    func rehashing(
        _ changes: ChangeSet, in transaction: any StoreTransaction, _ model: ManagedObjectModel
    ) throws -> ChangeSet {
        guard activity.hasEarlierHashes.load(ordering: .relaxed) else { return changes }
        let metadata = try changes.metadata ?? transaction.metadata()
        guard metadata.hasEarlierHashes else {
            // An earlier save, or another process, has written them.
            activity.hasEarlierHashes.store(false, ordering: .relaxed)
            return changes
        }
        var changes = changes
        changes.metadata = try metadata.rehashed(for: model)
        return changes
    }
}
