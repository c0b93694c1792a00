public import Foundation

/// A stage of a staged migration; the subclasses define its kind.
open class NSMigrationStage: NSObject {
    /// A name for people to tell stages apart.
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
    ///   `NSManagedObjectModel.versionChecksum`. One that Xcode logged identifies a version too: it is matched with
    ///   stores of Core Data's own, and with the references of other stages that have it.
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
