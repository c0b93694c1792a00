public import Foundation
import StrataGraph
import StrataModel

/// Migrates a store of one version of a model to a store of another one, by a mapping model.
///
/// Both sides are contexts, over the old store, which is only read, and over the new one; policies work with the objects in them. All new
/// objects are in memory until the end, when they are saved at once: whatever goes wrong before leaves the destination without any of
/// them, and the source is never changed. The objects are plain `NSManagedObject`s on both sides, since a class belongs to one version.
open class NSMigrationManager: NSObject {
    private final var source: MigrationSide
    private final var destination: MigrationSide
    private final var instances = MigratedInstances()
    private final var mapping: NSMappingModel?
    private final var current: NSEntityMapping?
    private final var cancellation: (any Error)?

    /// Whether a store may carry out by itself a mapping that needs no policies; true by default.
    ///
    /// It is done in a copy of the source, which keeps the IDs of its objects; the contexts stay empty then. Where the destination exists,
    /// or is of another kind, objects are made one by one in any case.
    open var usesStoreSpecificMigrationManager = true
    /// What policies keep for each other.
    open var userInfo: [AnyHashable: Any]?
    /// How far the migration has come, from 0 to 1.
    ///
    /// It cannot be observed by key, for which there is no run time here; an override of the setter is called at each change.
    open internal(set) var migrationProgress: Float = 0

    /// A manager for migrations from one version of a model to another.
    ///
    /// - Precondition: Both models are sound.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        source = MigrationSide(sourceModel)
        destination = MigrationSide(destinationModel)
        super.init()
    }

    // MARK: - What is migrated

    /// The version of the model that the source was made with: a copy, whose entities name no classes.
    open var sourceModel: NSManagedObjectModel { source.model }
    /// The version of the model that objects are brought to: a copy, whose entities name no classes.
    open var destinationModel: NSManagedObjectModel { destination.model }
    /// The objects as they were.
    open var sourceContext: NSManagedObjectContext { source.context }
    /// The objects as they will be; the manager saves it at the end of a migration.
    open var destinationContext: NSManagedObjectContext { destination.context }
    /// The mapping model of the migration under way, or of the last one; one without mappings before.
    open var mappingModel: NSMappingModel { mapping ?? NSMappingModel() }
    /// The entity mapping that is being carried out; one of no entity outside of a migration.
    open var currentEntityMapping: NSEntityMapping { current ?? NSEntityMapping() }

    /// The entity in the source of an entity mapping; `nil` where it has none.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The entity in the destination of an entity mapping; `nil` where it has none.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: - Migrating

    /// Makes objects of a store's objects, in a store that is made, or that has others already.
    ///
    /// - Throws: An `NSError`: `NSMigrationManagerSourceStoreError` and `NSMigrationManagerDestinationStoreError` where a store cannot be
    ///   opened, `NSMigrationMissingMappingModelError` without a mapping model, `NSEntityMigrationPolicyError` with what a policy threw,
    ///   `NSMigrationError` where a mapping means nothing or a value does not fit, those of validation where an object breaks the rules of
    ///   the new model; what ``cancelMigrationWithError(_:)`` was given. A destination that was there is as it was then, another one is
    ///   removed.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil, with mappings: NSMappingModel?,
        toDestinationURL dURL: URL, destinationType dStoreType: String, destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        let (from, to) = (MigratedLocation(sourceURL, sStoreType, sOptions), MigratedLocation(dURL, dStoreType, dOptions))
        guard let mappings else { throw MigrationErrors.missingMapping(sourceURL, "there is no mapping model") }
        reset()
        mapping = mappings
        try mappings.resolve(sourceModel.declared(), destinationModel.declared())
        if try migrateInCopy(from, mappings, to) { return }
        try migrateObjects(from, mappings, to)
    }

    /// Makes objects of a store's objects, in a store that is made, or that has others already.
    ///
    /// - Throws: As ``migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)``.
    public func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType, options sourceOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping, toDestinationURL: destinationURL,
            destinationType: destinationType.rawValue, destinationOptions: destinationOptions)
    }

    /// Ends the migration before the next object, with an error; may be called of a policy.
    open func cancelMigrationWithError(_ error: any Error) { cancellation = error }

    /// Prepares the manager for another migration between the same models: it forgets all objects, and which became which.
    open func reset() {
        source.reset()
        destination.reset()
        instances = MigratedInstances()
        current = nil
        cancellation = nil
        migrationProgress = 0
    }

    // MARK: - Which became which

    /// Says that an object of the destination was made of one of the source, by an entity mapping.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject, for entityMapping: NSEntityMapping
    ) {
        instances.add(destinationInstance, of: sourceInstance, by: entityMapping.name ?? "")
    }

    /// What objects of the source became by the entity mapping of a name, in their order; all that it made for `nil`.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] { instances.destinations(of: sourceInstances, by: mappingName) }

    /// What objects of the destination were made of by the entity mapping of a name, in their order; all that it was carried out for, for
    /// `nil`.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        instances.sources(of: destinationInstances, by: mappingName).map { sourceContext.object(with: $0) }
    }
}

extension NSMigrationManager {
    /// Has a copy of the source carry out the mapping by itself, where that can be.
    private func migrateInCopy(_ from: MigratedLocation, _ mappings: NSMappingModel, _ to: MigratedLocation) throws -> Bool {
        guard usesStoreSpecificMigrationManager, from.isBuiltIn, from.type == to.type, !to.exists, let mapping = mappings.storeMapping
        else { return false }
        try to.takeCopy(of: from)
        do {
            try to.migrateInPlace(by: mapping, to: destination.model) { progress in
                if let error = self.cancellation { throw error }
                self.migrationProgress = Float(progress)
            }
        } catch {
            to.destroy()
            throw cancellation ?? error
        }
        return true
    }

    /// Makes the objects one by one, and saves them.
    private func migrateObjects(_ from: MigratedLocation, _ mappings: NSMappingModel, _ to: MigratedLocation) throws {
        let exists = to.exists
        try source.open(from, isSource: true)
        defer { source.close() }
        do {
            try destination.open(to, isSource: false)
            defer { destination.close() }
            // On the queues of both contexts: what a policy changes is looked through there, some time soon.
            try sourceContext.performAndWait {
                try destinationContext.performAndWait {
                    try MigrationPasses(self, mappings).run()
                    current = nil
                    try destinationContext.save()
                    migrationProgress = 1
                }
            }
        } catch {
            if !exists { to.destroy() }
            throw error
        }
        if !exists { try to.takeMetadata(of: from) }
    }

    /// Takes note of the mapping that is being carried out, and looks whether the migration goes on.
    ///
    /// - Throws: What the migration was cancelled with; what an object could not be read for.
    func step(_ mapping: NSEntityMapping, _ progress: Float, _ body: () throws -> Void) throws {
        current = mapping
        try body()
        if let error = sourceContext.graph.lastFaultError ?? destinationContext.graph.lastFaultError { throw cocoaError(error) }
        if let cancellation { throw cancellation }
        migrationProgress = progress
    }
}
