import Foundation
import StrataCoordinator
import StrataModel
import StrataStore

extension NSPersistentStoreCoordinator {
    /// Opens a store in the graph's coordinator, after migrating it to the coordinator's model where the options say
    /// so: through the stages of a staged migration, by a mapping model among the program's resources, or by an
    /// inferred one.
    ///
    /// - Throws: The error of opening or migrating; the store is unchanged then.
    final func openMigrated(_ description: StoreDescription, options: [AnyHashable: Any]) throws -> any PersistentStore {
        var description = description
        if options[StagedContainer.option] != nil {
            // The handler of a stage opens it.
            description.shouldMigrateStoreAutomatically = false
            description.continuesStage = true
            return try coordinator.addStore(description)
        }
        if let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager, !description.isReadOnly {
            try stages.migrate(description, options: options, to: managedObjectModel)
        }
        let migration = AutomaticMigration(description, options, to: managedObjectModel)
        description.shouldMigrateStoreAutomatically = false
        do { return try coordinator.addStore(description) } catch let error as StoreError where error.code == .incompatibleModel {
            guard migration.isRequested else { throw error }
        }
        try migration.run()
        return try coordinator.addStore(description)
    }

    /// Finishes a lightweight migration that began with `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    ///
    /// Stores are migrated as a whole when they are opened, with the option too: there is nothing to finish.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigration() throws {}

    /// Executes one step of ``finishDeferredLightweightMigration()``.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigrationTask() throws {}
}
