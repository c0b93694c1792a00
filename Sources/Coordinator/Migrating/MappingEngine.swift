package import StrataStore
import Synchronization

/// The execution of mappings that cannot be inferred; the graph implements it, as policies work with objects.
package protocol MappingEngine: Sendable {
    /// Checks the mapping, before anything is begun; throws `MappingError`.
    func check(_ mapping: MappingModel) throws

    /// Returns the store's new content: all rows and links, the rows of each hierarchy by reference, and the greatest
    /// reserved reference by the root of the hierarchy in the destination.
    ///
    /// Called with the store's write lock held, on the migrating thread.
    func contents(_ migration: MappedMigration) throws -> (changes: ChangeSet, lastReferences: [EntityIndex: Int64])
}

/// A migration by a mapping that cannot be inferred.
package struct MappedMigration {
    package let mapping: MappingModel
    package let source: PersistentStoreCoordinator
    package let storeID: StoreID
    /// The entities that the store holds before.
    package let sourceEntities: Set<EntityIndex>
    /// The entities that the store holds afterwards.
    package let entities: Set<EntityIndex>
    /// The greatest reserved reference, by the root of the hierarchy in the source.
    package let lastReferences: [EntityIndex: Int64]
    package let scope: StoreCapabilities.ReferenceScope
    package let report: MigrationReport
}

/// Reports the progress of a migration, and ends it on cancellation.
package final class MigrationReport: Sendable {
    private let handler: (@Sendable (MigrationProgress) throws -> Void)?
    private let path: String?
    /// A store may repeat its work from the beginning.
    private let greatest = Mutex(0.0)

    init(_ description: StoreDescription) {
        handler = description.migrationProgress
        path = description.path
    }

    /// - Throws: `StoreError` with `cancelled` where the migration is cancelled.
    package func update(_ done: Int, of total: Int, entity: String? = nil) throws(StoreError) {
        if Task.isCancelled { throw cancelled(because: CancellationError()) }
        guard let handler else { return }
        let fraction = greatest.withLock { greatest in
            greatest = max(greatest, min(1, Double(done) / Double(max(1, total))))
            return greatest
        }
        do { try handler(MigrationProgress(fractionCompleted: fraction, entity: entity)) } catch { throw cancelled(because: error) }
    }

    package func cancelled(because error: any Error) -> StoreError {
        StoreError(.cancelled, .migrate, "the migration was cancelled; the store is as it was", path: path, underlying: error)
    }
}
