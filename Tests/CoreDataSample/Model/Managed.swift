import CoreData

/// What the classes of the cookbook have in common: how their objects are sorted, and ways to find them.
protocol Managed: AnyObject, NSFetchRequestResult {
    static var defaultSortDescriptors: [NSSortDescriptor] { get }
}

extension Managed where Self: NSManagedObject {
    static var entityName: String { entity().name! }

    static var sortedFetchRequest: NSFetchRequest<Self> {
        let request = NSFetchRequest<Self>(entityName: entityName)
        request.sortDescriptors = defaultSortDescriptors
        return request
    }

    static func fetch(in context: NSManagedObjectContext, configure: (NSFetchRequest<Self>) -> Void = { _ in }) throws -> [Self] {
        let request = sortedFetchRequest
        configure(request)
        return try context.fetch(request)
    }

    static func count(in context: NSManagedObjectContext, where predicate: NSPredicate? = nil) throws -> Int {
        let request = NSFetchRequest<Self>(entityName: entityName)
        request.predicate = predicate
        return try context.count(for: request)
    }

    /// The object that the context has already, without a look at the store.
    static func materializedObject(in context: NSManagedObjectContext, matching predicate: NSPredicate) -> Self? {
        for object in context.registeredObjects where !object.isFault && !object.isDeleted {
            guard let result = object as? Self, predicate.evaluate(with: result) else { continue }
            return result
        }
        return nil
    }

    /// The one object that matches, from the context or the store.
    static func findOrFetch(in context: NSManagedObjectContext, matching predicate: NSPredicate) throws -> Self? {
        if let object = materializedObject(in: context, matching: predicate) { return object }
        return try fetch(in: context) { request in
            request.predicate = predicate
            request.returnsObjectsAsFaults = false
            request.fetchLimit = 1
        }.first
    }

    /// The one object that matches; where there is none, a new one.
    static func findOrCreate(
        in context: NSManagedObjectContext, matching predicate: NSPredicate, configure: (Self) -> Void
    ) throws -> Self {
        if let object = try findOrFetch(in: context, matching: predicate) { return object }
        guard let object = NSEntityDescription.insertNewObject(forEntityName: entityName, into: context) as? Self else {
            fatalError("The entity \(entityName) has objects of another class.")
        }
        configure(object)
        return object
    }
}

extension Recipe: Managed {
    static var defaultSortDescriptors: [NSSortDescriptor] {
        [NSSortDescriptor(keyPath: \Recipe.name, ascending: true)]
    }

    static func predicate(identifier: UUID) -> NSPredicate {
        NSPredicate(format: "%K == %@", "identifier", identifier as CVarArg)
    }
}

extension Course: Managed {
    static var defaultSortDescriptors: [NSSortDescriptor] {
        [NSSortDescriptor(keyPath: \Course.name, ascending: true)]
    }

    static func named(_ name: String, in context: NSManagedObjectContext) throws -> Course {
        try findOrCreate(in: context, matching: NSPredicate(format: "name == %@", name)) { $0.name = name }
    }
}

extension ShoppingItem: Managed {
    static var defaultSortDescriptors: [NSSortDescriptor] {
        [
            NSSortDescriptor(keyPath: \ShoppingItem.isDone, ascending: true),
            NSSortDescriptor(key: "name", ascending: true),
        ]
    }
}
