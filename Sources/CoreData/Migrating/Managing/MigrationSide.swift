import Foundation
import StrataModel

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
