package import Strata

/// The objects that the histories of stores give, applied to nothing.
package enum HistoryReplay {
    /// A history is not that of the objects.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// Checks that the histories of a context's stores give the objects in them: each save is in the history exactly
    /// where it is in the store.
    ///
    /// - Throws: ``Difference``.
    package static func verify(_ context: ManagedObjectContext) throws {
        guard let coordinator = context.coordinator as? PersistentStoreCoordinator else { return }
        let history = coordinator.history
        let stores = Set(try history.currentToken().numbers.keys)
        var replayed: Set<ObjectID> = []
        for transaction in try history.transactions(HistoryRequest()) {
            for change in transaction.changes {
                let isKnown = replayed.contains(change.objectID)
                guard isKnown == (change.kind != .insert) else {
                    throw Difference("transaction \(transaction.number): \(change.kind) of \(change.objectID), known: \(isKnown)")
                }
                if change.kind == .insert { replayed.insert(change.objectID) }
                if change.kind == .delete { replayed.remove(change.objectID) }
            }
        }
        var stored: Set<ObjectID> = []
        for entity in coordinator.model.entities where entity.root == entity.index {
            let objects: [ManagedObject]
            do { objects = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity.name)) } catch let error as StoreError
                where error.code == .noStore
            { continue }
            stored.formUnion(objects.lazy.map(\.objectID).filter { stores.contains($0.storeID ?? StoreID("")) })
        }
        guard replayed == stored else {
            throw Difference(
                "the history gives \(replayed.count) objects, \(stored.count) are stored: \(replayed.symmetricDifference(stored))")
        }
    }
}
