import StrataCoordinator
import StrataGraph
import StrataModel
import StrataStore

/// A store of a migration.
struct MigratedLocation {
    let url: URL
    let type: String
    let options: [AnyHashable: Any]

    init(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) {
        self.url = url
        self.type = type
        self.options = options ?? [:]
    }

    /// Whether there is a store; an empty file is not one yet.
    var exists: Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        return (size?.int64Value ?? 0) > 0
    }

    /// Whether the store can be copied and migrated in place; those of registered classes cannot.
    var isBuiltIn: Bool { MigratedLocation.builtInTypes.contains(type) }

    static let builtInTypes: Set<String> = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    /// Returns the options, without those that migrate stores as they are opened.
    func openingOptions(isReadOnly: Bool) -> [AnyHashable: Any] {
        var options = options
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        // A policy that changes the source gives the option.
        if isReadOnly, options[NSReadOnlyPersistentStoreOption] == nil { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true) }
        return options
    }

    private func driver() throws -> any StoreDriver { try StoreKinds.driver(type, options) }

    /// Replaces the store by a copy of another store of the kind.
    func takeCopy(of other: MigratedLocation) throws {
        do { try driver().replace(at: url.path, withStoreAt: other.url.path) } catch {
            throw cocoaError(NSMigrationManagerSourceStoreError, cocoaError(error), [:], path: other.url.path)
        }
    }

    /// Migrates the store in place, by the store's own means.
    func migrateInPlace(by mapping: MappingModel, to model: NSManagedObjectModel, _ report: @escaping (Double) throws -> Void) throws {
        // Called on this thread only.
        nonisolated(unsafe) let report = report
        do {
            var description = StoreDescription(try driver(), path: url.path)
            description.earlierModels = [mapping.source]
            description.migrationProgress = { unsafe try report($0.fractionCompleted) }
            try PersistentStoreCoordinator.migrateStore(description, to: try model.compiled(), mapping: mapping)
        } catch { throw cocoaError(error) }
    }

    /// Replaces another store that was migrated to this one: takes its ID, and the application's metadata.
    func takeMetadata(of other: MigratedLocation) throws {
        do {
            let old = try other.driver().metadata(at: other.url.path)
            var metadata = try driver().metadata(at: url.path)
            metadata.storeID = old.storeID
            let own = old.userInfo.filter { !StoreMetadata.ownKeys.contains($0.key) && !StoreMetadata.coreDataKeys.contains($0.key) }
            metadata.userInfo.merge(own) { $1 }
            try driver().setMetadata(metadata, at: url.path)
        } catch { throw cocoaError(error) }
    }

    func destroy() { try? driver().destroy(at: url.path) }
}

/// One side of a migration: a version of a model, and a context over a store of it.
struct MigrationSide {
    /// A copy whose entities name no classes: a class belongs to one version.
    let model: NSManagedObjectModel
    private(set) var coordinator: NSPersistentStoreCoordinator
    private(set) var context: NSManagedObjectContext

    init(_ given: NSManagedObjectModel) {
        model = given.copy() as? NSManagedObjectModel ?? given
        if model.isEditable { for entity in model.entities { entity.managedObjectClassName = nil } }
        (coordinator, context) = MigrationSide.stack(model)
    }

    private static func stack(_ model: NSManagedObjectModel) -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        // A policy may use the context where it is called, or perform blocks.
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    /// Unregisters all objects.
    mutating func reset() { (coordinator, context) = MigrationSide.stack(model) }

    /// Opens the store of this side.
    ///
    /// - Throws: An `NSError` with the code for the side.
    func open(_ location: MigratedLocation, isSource: Bool) throws {
        do {
            if isSource && !location.exists { throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: location.url.path]) }
            try coordinator.addPersistentStore(
                ofType: location.type, configurationName: nil, at: location.url, options: location.openingOptions(isReadOnly: isSource))
        } catch {
            let code = isSource ? NSMigrationManagerSourceStoreError : NSMigrationManagerDestinationStoreError
            throw cocoaError(code, error, ["reason": error.localizedDescription], path: location.url.path)
        }
    }

    /// Closes the store, and discards unsaved changes.
    func close() { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
}
