import CoreData

/// A context over a store in memory.
enum MemoryStack {
    static func context(of model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return context(of: coordinator)
    }

    static func context(of coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A context of a model of one entity with some attributes.
    static func context(_ name: String, _ types: [(String, NSAttributeType)]) throws -> NSManagedObjectContext {
        try context(of: OneEntityModel.make(name, properties: types.map { PeopleModel.attribute($0.0, $0.1) }))
    }
}
