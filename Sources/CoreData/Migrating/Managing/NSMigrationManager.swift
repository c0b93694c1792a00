import StrataGraph
import StrataModel
import StrataStore

/// Migrates a store of one version of a model to a store of another one, by a mapping model.
///
/// Both sides are contexts, over the old store, which is only read, and over the new one; policies work with the
/// objects in them. All new objects are in memory until the end, when they are saved at once: an earlier failure leaves
/// the destination without any of them, and the source is never changed. The objects are plain `NSManagedObject`s on
/// both sides, since a class belongs to one version.
open class NSMigrationManager: NSObject {
    private final var source: MigrationSide
    private final var destination: MigrationSide
    private final var instances = MigratedInstances()
    private final var mapping: NSMappingModel?
    private final var current: NSEntityMapping?
    private final var cancellation: (any Error)?

    /// Whether a store may execute by itself a mapping that needs no policies; true by default.
    ///
    /// It migrates a copy of the source, which keeps the IDs of its objects; the contexts stay empty then. If the
    /// destination exists, or is of another kind, objects are migrated one by one in any case.
    open var usesStoreSpecificMigrationManager = true
    /// Shared data of policies.
    open var userInfo: [AnyHashable: Any]?
    /// The progress of the migration, from 0 to 1.
    ///
    /// Key-value observing needs the Objective-C run time; an override of the setter is called at each change.
    open internal(set) var migrationProgress: Float = 0

    /// Creates a manager for migrations from one version of a model to another.
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
    /// The model of the destination: a copy, whose entities name no classes.
    open var destinationModel: NSManagedObjectModel { destination.model }
    /// The objects as they were.
    open var sourceContext: NSManagedObjectContext { source.context }
    /// The objects as they will be; the manager saves it at the end of a migration.
    open var destinationContext: NSManagedObjectContext { destination.context }
    /// The mapping model of the migration under way, or of the last one; one without mappings before.
    open var mappingModel: NSMappingModel { mapping ?? NSMappingModel() }
    /// The entity mapping that is being carried out; one of no entity outside of a migration.
    open var currentEntityMapping: NSEntityMapping { current ?? NSEntityMapping() }

    /// Returns the entity in the source of an entity mapping; `nil` where it has none.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// Returns the entity in the destination of an entity mapping; `nil` where it has none.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: - Migrating

    /// Migrates the objects of a store to a new or an existing store.
    ///
    /// - Throws: An `NSError`: `NSMigrationManagerSourceStoreError` and `NSMigrationManagerDestinationStoreError` if a
    ///   store cannot be opened, `NSMigrationMissingMappingModelError` without a mapping model,
    ///   `NSEntityMigrationPolicyError` with the error of a policy, `NSMigrationError` for a malformed mapping or a
    ///   value that does not fit, those of validation if an object is invalid in the new model; the error of
    ///   ``cancelMigrationWithError(_:)``. An existing destination is unchanged then, a new one is removed.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil, with mappings: NSMappingModel?,
        toDestinationURL dURL: URL, destinationType dStoreType: String, destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        let (from, to) = (MigratedLocation(sourceURL, sStoreType, sOptions), MigratedLocation(dURL, dStoreType, dOptions))
        guard let mappings else {
            throw cocoaError(StoreError(.missingMapping, .migrate, "there is no mapping model", path: sourceURL.path))
        }
        reset()
        mapping = mappings
        try mappings.resolve(sourceModel.declared(), destinationModel.declared())
        if try migrateInCopy(from, mappings, to) { return }
        try migrateObjects(from, mappings, to)
    }

    /// Migrates the objects of a store to a new or an existing store.
    ///
    /// - Throws: As
    ///   ``migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)``.
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

    /// Resets the manager for another migration between the same models: removes all objects and associations.
    open func reset() {
        source.reset()
        destination.reset()
        instances = MigratedInstances()
        current = nil
        cancellation = nil
        migrationProgress = 0
    }

    // MARK: - Which became which

    /// Associates a source object with the destination object that an entity mapping made of it.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject, for entityMapping: NSEntityMapping
    ) {
        instances.add(destinationInstance, of: sourceInstance, by: entityMapping.name ?? "")
    }

    /// Returns the destination objects of source objects by an entity mapping's name, in their order; all for `nil`.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] { instances.destinations(of: sourceInstances, by: mappingName) }

    /// Returns the source objects of destination objects by an entity mapping's name, in their order; all for `nil`.
    open func sourceInstances(forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?) -> [NSManagedObject] {
        instances.sources(of: destinationInstances, by: mappingName).map { sourceContext.object(with: $0) }
    }
}

extension NSMigrationManager {
    /// Copies the source and migrates the copy in place, where that is possible.
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

    /// Creates the objects one by one, and saves them.
    private func migrateObjects(_ from: MigratedLocation, _ mappings: NSMappingModel, _ to: MigratedLocation) throws {
        let exists = to.exists
        try source.open(from, isSource: true)
        defer { source.close() }
        do {
            try destination.open(to, isSource: false)
            defer { destination.close() }
            // On the queues of both contexts, which process a policy's changes at the end of an event.
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

    /// Sets the current mapping, and runs a step of it; throws if the migration was cancelled.
    func step(_ mapping: NSEntityMapping, _ progress: Float, _ body: () throws -> Void) throws {
        current = mapping
        try body()
        if let error = sourceContext.graph.lastFaultError ?? destinationContext.graph.lastFaultError { throw cocoaError(error) }
        if let cancellation { throw cancellation }
        migrationProgress = progress
    }
}

/// The destination objects by source object, by the names of the entity mappings.
struct MigratedInstances {
    /// The objects that one entity mapping made.
    private struct Made {
        var destinations: [NSManagedObject] = []
        var sources: [NSManagedObjectID] = []
        var bySource: [NSManagedObjectID: [NSManagedObject]] = [:]
        var byDestination: [ObjectIdentifier: [NSManagedObjectID]] = [:]
    }

    private var made: [String: Made] = [:]

    mutating func add(_ destination: NSManagedObject, of source: NSManagedObject, by name: String) {
        let (id, key) = (source.objectID, ObjectIdentifier(destination))
        if made[name]?.byDestination[key] == nil { made[name, default: Made()].destinations.append(destination) }
        if made[name]?.bySource[id] == nil { made[name, default: Made()].sources.append(id) }
        made[name, default: Made()].bySource[id, default: []].append(destination)
        made[name, default: Made()].byDestination[key, default: []].append(id)
    }

    func destinations(of sources: [NSManagedObject]?, by name: String) -> [NSManagedObject] {
        guard let made = made[name] else { return [] }
        let found = sources.map { $0.flatMap { made.bySource[$0.objectID] ?? [] } } ?? made.destinations
        // A policy may have deleted them.
        return found.filter { !$0.isDeleted && $0.managedObjectContext != nil }
    }

    func sources(of destinations: [NSManagedObject]?, by name: String) -> [NSManagedObjectID] {
        guard let made = made[name] else { return [] }
        return destinations.map { $0.flatMap { made.byDestination[ObjectIdentifier($0)] ?? [] } } ?? made.sources
    }
}
