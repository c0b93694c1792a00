public import Foundation

/// A step of a staged migration: one of the subclasses says which.
open class NSMigrationStage: NSObject {
    /// A name for people to tell stages apart.
    open var label = ""

    override init() { super.init() }
}

/// A stage through versions of a model whose changes can be inferred.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, in their order.
    public final let versionChecksums: [String]

    /// A stage through versions.
    ///
    /// - Parameter versionChecksums: The checksums of the versions, in their order, as `NSManagedObjectModel.versionChecksum` gives them.
    /// One that Xcode
    ///   logged stands for a version too: it is matched with stores of Core Data's own, and with the references of other stages that have
    ///   it.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A stage from one version of a model to another, with work of the program's before and after it.
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: first, to: second)
/// stage.didMigrateHandler = { manager, stage in
///     guard let context = manager.container?.newBackgroundContext() else { return }
///     try context.performAndWait { try fillNewAttributes(in: context) }
/// }
/// ```
/// What a handler throws ends the migration. The store stays at the version that it has come to, and the rest is done when it is opened the
/// next time; so it is after a crash. A handler has to bear that it runs again.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The version that the stage begins with.
    public final let currentModel: NSManagedObjectModelReference
    /// The version that the stage migrates to.
    public final let nextModel: NSManagedObjectModelReference
    /// What is done before the stage: the manager's container has the store, and the current model.
    ///
    /// What it throws ends the migration.
    public final var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// What is done after the stage: the manager's container has the store, and the next model.
    ///
    /// What it throws ends the migration.
    public final var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// A stage from one version of a model to another.
    public init(migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
