public import Foundation
import StrataCoordinator
import StrataModel
import StrataStore

/// Migrates a store through versions of its model, one stage after the other, as it is opened.
///
/// ```swift
/// let manager = NSStagedMigrationManager([NSLightweightMigrationStage([first]), split])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
/// The store's version and the coordinator's have to be among those of the stages. Each stage is a transaction of the
/// store, which records its version: after a crash or the error of a handler the migration continues when the store is
/// opened the next time.
open class NSStagedMigrationManager: NSObject {
    /// The stages, in their order.
    public final let stages: [NSMigrationStage]
    /// The container of handlers, over the store that is migrated; `nil` outside of handlers.
    public internal(set) final weak var container: NSPersistentContainer?

    /// Creates a manager for stages.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Migrates a store to a model; does nothing if the store does not exist.
    ///
    /// - Throws: An `NSError`: `NSManagedObjectModelReferenceNotFoundError` for an unknown version,
    ///   `NSStagedMigrationBackwardMigrationError` if the store is newer than the model in the order of the stages,
    ///   `NSMigrationError` with the error of a handler.
    final func migrate(_ description: StoreDescription, options: [AnyHashable: Any], to model: NSManagedObjectModel) throws {
        if description.location == .null { return }
        let metadata: StoreMetadata
        do { metadata = try description.driver.metadata(at: description.location) } catch let error as StoreError
            where error.code == .missing
        { return }
        let path = try StagePath(stages, to: model, path: description.path)
        let steps = try path.steps(from: try path.position(of: description, metadata))
        var description = description
        description.earlierModels = path.models.compactMap { try? $0.declared() }
        let stages = try steps.map { step in try migrationStage(step, StagedContainer(description, options)) }
        try PersistentStoreCoordinator.migrateStore(description, through: stages)
    }

    private func migrationStage(_ step: StagePath.Step, _ container: StagedContainer) throws -> MigrationStage {
        guard let stage = step.stage else { return .lightweight(to: try step.model.compiled()) }
        // Unsafe to the compiler alone: handlers are called on this thread, during the migration.
        nonisolated(unsafe) let manager = self
        nonisolated(unsafe) let custom = stage
        let (before, after) = (try stage.currentModel.resolve(), step.model)
        func handler(
            _ block: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?, _ model: NSManagedObjectModel
        ) -> MigrationStage.Handler? {
            guard let block else { return nil }
            // For the same reason.
            nonisolated(unsafe) let work = block
            return { store in
                try container.with(model, of: unsafe manager) { try unsafe work(unsafe manager, unsafe custom) }
                // The container saved to the same store: an atomic store has to be reloaded by this coordinator.
                try store.refreshStores(store.stores.map(\.id))
            }
        }
        let (origin, version) = (try before.compiled(), try after.compiled())
        return .custom(
            from: .success(origin), to: .success(version), willMigrate: handler(stage.willMigrateHandler, before),
            didMigrate: handler(stage.didMigrateHandler, after))
    }
}
