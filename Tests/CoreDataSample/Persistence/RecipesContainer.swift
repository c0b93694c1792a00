import CoreData
import Foundation

/// The stores of the app: the cookbook, and the shopping list in a store of its own.
final class RecipesContainer: NSPersistentContainer, @unchecked Sendable {
    /// Where the stores are, unless the descriptions say otherwise.
    override class func defaultDirectoryURL() -> URL {
        let folder = super.defaultDirectoryURL().appendingPathComponent("Recipes", isDirectory: true)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A container whose stores are not loaded yet.
    ///
    /// - Parameters:
    ///   - directory: Where the stores are; the default directory for nothing.
    ///   - inMemory: Whether nothing is kept, as for previews and tests.
    ///   - shoppingType: The type of the shopping list's store. That of the cookbook has derived and composite attributes, and
    ///     constraints, which are SQLite's.
    convenience init(directory: URL? = nil, inMemory: Bool = false, shoppingType: NSPersistentStore.StoreType = .sqlite) {
        ImageToDataTransformer.register()
        self.init(name: "Recipes", managedObjectModel: RecipesModel.shared)
        let folder = directory ?? Self.defaultDirectoryURL()
        let cookbook = NSPersistentStoreDescription(url: folder.appendingPathComponent("Recipes.sqlite"))
        cookbook.configuration = "Cookbook"
        cookbook.setOption(RecipesMigration.manager(), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        let shopping = NSPersistentStoreDescription(url: folder.appendingPathComponent("Shopping.store"))
        shopping.configuration = "Shopping"
        shopping.type = shoppingType.rawValue
        if inMemory {
            cookbook.url = URL(fileURLWithPath: "/dev/null")
            shopping.url = URL(fileURLWithPath: "/dev/null")
            shopping.type = NSInMemoryStoreType
        }
        persistentStoreDescriptions = [cookbook, shopping]
    }

    /// Opens all stores.
    ///
    /// - Throws: The error of the first that cannot be opened.
    func loadStores() throws {
        var failure: (any Error)?
        loadPersistentStores { _, error in
            if let error { failure = failure ?? error }
        }
        if let failure { throw failure }
        viewContext.automaticallyMergesChangesFromParent = true
        viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        viewContext.undoManager = nil
        viewContext.shouldDeleteInaccessibleFaults = true
        viewContext.transactionAuthor = "app"
    }

    /// A context for imports.
    func newTaskContext() -> NSManagedObjectContext {
        let context = newBackgroundContext()
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        // An import is not undone, and the manager would keep all its objects.
        context.undoManager = nil
        context.name = "import"
        return context
    }
}
