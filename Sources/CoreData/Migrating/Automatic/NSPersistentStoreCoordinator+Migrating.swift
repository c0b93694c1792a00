import Foundation
import StrataCoordinator
import StrataModel
import StrataStore

extension NSPersistentStoreCoordinator {
    /// Opens a store in the graph's coordinator, after it was brought to the coordinator's model where the options say so: through the
    /// stages of a staged migration, by a mapping model among the program's resources, or by an inferred one.
    ///
    /// - Throws: What the store cannot be opened or migrated for; it is as it was then.
    final func openMigrated(_ description: StoreDescription, options: [AnyHashable: Any]) throws -> any PersistentStore {
        var description = description
        if options[StagedContainer.option] != nil {
            // It is a handler of a stage that opens it.
            description.shouldMigrateStoreAutomatically = false
            description.goesOnWithStage = true
            return try coordinator.addStore(description)
        }
        if let stages = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager, !description.isReadOnly {
            try stages.migrate(description, options: options, to: managedObjectModel)
        }
        let migration = AutomaticMigration(description, options, to: managedObjectModel)
        description.shouldMigrateStoreAutomatically = false
        do { return try coordinator.addStore(description) } catch let error as StoreError where error.code == .incompatibleModel {
            guard migration.isAsked else { throw error }
        }
        try migration.run()
        return try coordinator.addStore(description)
    }

    /// Ends a lightweight migration that was begun with `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    ///
    /// Stores are migrated as a whole when they are opened, with the option too: nothing is left to be done.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigration() throws {}

    /// Does one step of what ``finishDeferredLightweightMigration()`` does.
    ///
    /// - Throws: Nothing.
    public final func finishDeferredLightweightMigrationTask() throws {}
}
