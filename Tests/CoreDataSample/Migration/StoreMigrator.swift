import CoreData
import Foundation

/// Brings a store to a version, one version after the other, before a container opens it: for systems without staged migration.
struct StoreMigrator {
    let storeURL: URL

    init(_ storeURL: URL) { self.storeURL = storeURL }

    /// Whether the store is of another version than the current one.
    func requiresMigration() -> Bool {
        guard let version = RecipesModel.version(ofStoreAt: storeURL) else { return false }
        return version != .current
    }

    /// Migrates the store as far as a version.
    ///
    /// - Parameter progress: Hears of each version that the store has come to.
    func migrate(to target: RecipesModel = .current, progress: (RecipesModel) -> Void = { _ in }) throws {
        guard var version = RecipesModel.version(ofStoreAt: storeURL) else {
            throw CocoaError(.persistentStoreIncompatibleVersionHash)
        }
        while version != target, let next = version.successor {
            try step(from: version, to: next)
            version = next
            progress(version)
        }
    }

    /// Migrates into a file beside the store, which then takes its place: the store is whole, whatever happens.
    private func step(from source: RecipesModel, to destination: RecipesModel) throws {
        let (sourceModel, destinationModel) = (source.cookbookModel(), destination.cookbookModel())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let temporaryURL = folder.appendingPathComponent(storeURL.lastPathComponent)
        let manager = NSMigrationManager(sourceModel: sourceModel, destinationModel: destinationModel)
        try manager.migrateStore(
            from: storeURL, sourceType: NSSQLiteStoreType, options: nil, with: mapping(from: source, sourceModel, to: destinationModel),
            toDestinationURL: temporaryURL, destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destinationModel)
        try coordinator.replacePersistentStore(
            at: storeURL, destinationOptions: nil, withPersistentStoreFrom: temporaryURL, sourceOptions: nil, ofType: NSSQLiteStoreType)
        try coordinator.destroyPersistentStore(at: temporaryURL, ofType: NSSQLiteStoreType, options: nil)
    }

    /// What can be inferred, with a policy for the entity that needs more.
    private func mapping(
        from source: RecipesModel, _ sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: sourceModel, destinationModel: destinationModel)
        guard source == .version1 else { return mapping }
        for entity in mapping.entityMappings where entity.destinationEntityName == "Recipe" {
            entity.mappingType = .customEntityMappingType
            entity.entityMigrationPolicyClassName = NSStringFromClass(RecipeMigrationPolicy.self)
            let minutes = entity.attributeMappings?.first { $0.name == "preparationMinutes" }
            minutes?.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, 'minutesOf:', $source.prepTime)")
        }
        return mapping
    }
}
