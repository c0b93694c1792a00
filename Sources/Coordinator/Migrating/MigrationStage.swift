public import StrataModel

/// One step of a migration through several versions of a model.
///
/// ```swift
/// let stages: [MigrationStage] = [
///     .lightweight(to: second),
///     .custom(to: third) { old, new in try splitNames(from: old, into: new) },
/// ]
/// ```
/// Each stage is a transaction of the store, and the store knows at which version it is: after a crash the rest is done
/// the next time. Handlers run on the thread that migrates, outside of the transaction, with coordinators that have the
/// store alone; they make contexts over them.
public struct MigrationStage: Sendable {
    /// Reads a store, or changes its objects.
    public typealias Handler = @Sendable (_ store: PersistentStoreCoordinator) throws -> Void
    /// Changes the objects of a migrated store, with a read-only copy of the store before.
    public typealias Conversion = @Sendable (_ old: PersistentStoreCoordinator, _ new: PersistentStoreCoordinator) throws -> Void

    /// The version of the model that the stage migrates to.
    ///
    /// - Precondition: Its classes, if any, declare a valid one; migrating a store by the stage throws otherwise.
    public var model: ManagedObjectModel {
        switch version {
        case .success(let model): model
        case .failure(let error): programmerError("the stage leads to no sound model: \(error)")
        }
    }
    private let version: Result<ManagedObjectModel, ModelError>
    /// The version that the stage begins with; `nil` for any.
    private var origin: Result<ManagedObjectModel, ModelError>?
    private(set) var willMigrate: Handler?
    private(set) var didMigrate: Handler?
    private(set) var conversion: Conversion?
    private(set) var mapping: MappingModel?
    private(set) var engine: (any MappingEngine)?
}

extension MigrationStage {
    package init(mapping: MappingModel, engine: (any MappingEngine)?, didMigrate: Handler?) {
        self.init(version: .success(mapping.destination), didMigrate: didMigrate, mapping: mapping, engine: engine)
    }

    /// Creates a stage between models that may be invalid.
    package static func custom(
        from origin: Result<ManagedObjectModel, ModelError>, to version: Result<ManagedObjectModel, ModelError>, willMigrate: Handler?,
        didMigrate: Handler?
    ) -> MigrationStage {
        MigrationStage(version: version, origin: origin, willMigrate: willMigrate, didMigrate: didMigrate)
    }

    /// Checks the models of the stage; throws the error of a model.
    func check() throws(ModelError) {
        _ = try version.get()
        _ = try origin?.get()
    }

    var origins: [ManagedObjectModel] { (try? origin?.get()).map { [$0] } ?? [] }

    /// Returns a stage without handlers.
    public static func lightweight(to model: ManagedObjectModel) -> MigrationStage {
        MigrationStage(version: .success(model))
    }

    /// Returns a stage with handlers before and after it, as Core Data's.
    ///
    /// - Parameters:
    ///   - model: The version of the model that the stage migrates to.
    ///   - willMigrate: Gets the store before the migration. It has to be repeatable: where the process ends during the
    ///     stage it runs again.
    ///   - didMigrate: Gets the migrated store. It runs again until it has returned once.
    public static func custom(
        to model: ManagedObjectModel, willMigrate: Handler? = nil, didMigrate: Handler? = nil
    ) -> MigrationStage {
        MigrationStage(version: .success(model), willMigrate: willMigrate, didMigrate: didMigrate)
    }

    /// Returns a stage with a handler that reads the store before and after it.
    ///
    /// For that the store is copied beside itself, as `<name>-before`, until the handler has returned.
    ///
    /// - Parameters:
    ///   - model: The version of the model that the stage migrates to.
    ///   - conversion: Gets the copy and the migrated store. It runs again until it has returned once; where it throws,
    ///     the store is as it was before the stage.
    public static func custom(to model: ManagedObjectModel, _ conversion: @escaping Conversion) -> MigrationStage {
        MigrationStage(version: .success(model), conversion: conversion)
    }

    var hasSecondHandler: Bool { didMigrate != nil || conversion != nil }
}
