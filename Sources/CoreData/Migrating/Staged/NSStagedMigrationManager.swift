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

/// A stage of a staged migration; the subclasses define its kind.
open class NSMigrationStage: NSObject {
    /// A name by which people distinguish stages.
    open var label = ""

    override init() { super.init() }
}

/// A stage through versions of a model whose changes can be inferred.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, in their order.
    public final let versionChecksums: [String]

    /// Creates a stage through versions.
    ///
    /// - Parameter versionChecksums: The checksums of the versions, in their order, as of
    ///   `NSManagedObjectModel.versionChecksum`, which Xcode logs.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A stage from one version of a model to another, with handlers before and after it.
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: first, to: second)
/// stage.didMigrateHandler = { manager, stage in
///     guard let context = manager.container?.newBackgroundContext() else { return }
///     try context.performAndWait { try fillNewAttributes(in: context) }
/// }
/// ```
/// An error of a handler ends the migration. The store stays at the version that it has reached, and the migration
/// continues when it is opened the next time; also after a crash. A handler may run again and has to be idempotent.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The version that the stage begins with.
    public final let currentModel: NSManagedObjectModelReference
    /// The version that the stage migrates to.
    public final let nextModel: NSManagedObjectModelReference
    /// Called before the stage, while the manager's container has the store with the current model.
    ///
    /// An error ends the migration.
    public final var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called after the stage, while the manager's container has the store with the next model.
    ///
    /// An error ends the migration.
    public final var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Creates a stage from one version of a model to another.
    public init(migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}

/// Opens the store of a staged migration for a handler.
struct StagedContainer: Sendable {
    /// The option that opens a store during its stages.
    static let option = "StrataStagedMigrationOption"

    private let store: StoreDescription
    // Never changed, and its contents are only read.
    nonisolated(unsafe) private let options: [String: NSObject]

    init(_ description: StoreDescription, _ options: [AnyHashable: Any]) {
        store = description
        var own: [String: NSObject] = [:]
        for (key, value) in options { if let key = key.base as? String, let value = value as? NSObject { own[key] = value } }
        own[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        own[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: false)
        own[StagedContainer.option] = NSNumber(value: true)
        unsafe self.options = own
    }

    /// Sets a manager's container to one over the store with a model while a handler runs.
    ///
    /// - Throws: An `NSError` with `NSMigrationError` and the error of the handler or of opening the store.
    func with(_ model: NSManagedObjectModel, of manager: NSStagedMigrationManager, _ body: () throws -> Void) throws {
        let url = store.path.map { URL(fileURLWithPath: $0) }
        let container = NSPersistentContainer(name: url?.deletingPathExtension().lastPathComponent ?? "", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = store.driver.type.rawValue
        description.url = url
        description.configuration = try configuration(with: model)
        for key in description.options.keys { description.setOption(nil, forKey: key) }
        for (key, value) in unsafe options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        defer {
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        do {
            if let failure { throw failure }
            manager.container = container
            defer { manager.container = nil }
            try body()
        } catch { throw MigrationErrors.failed(url, error) }
    }

    /// Returns the configuration for opening the store with a model.
    private func configuration(with model: NSManagedObjectModel) throws -> String? {
        try store.passing(model.compiled(), store.driver.metadata(at: store.location)).configuration
    }
}
