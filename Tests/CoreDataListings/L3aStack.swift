import CoreData
import Foundation
import Testing

/// A stack that is made by hand.
@MainActor
final class CoreDataStack {
    let model: NSManagedObjectModel
    let psc: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let store: NSPersistentStore?
    private let folder: Folder

    init(_ model: NSManagedObjectModel, _ kind: StoreKind, in folder: Folder) throws {
        self.model = model
        self.folder = folder
        psc = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = psc
        let options = [NSMigratePersistentStoresAutomaticallyOption: true]
        store = try psc.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: folder.url.appendingPathComponent("Warehouse.store"), options: options)
    }

    func saveContext() throws {
        if context.hasChanges { try context.save() }
    }

    /// The warehouse of a name, which is made where there is none.
    func findOrCreate(_ name: String) throws -> Warehouse {
        let request = NSFetchRequest<Warehouse>(entityName: "Warehouse")
        request.predicate = NSPredicate(format: "name == %@", name)
        if let found = try context.fetch(request).first { return found }
        let entity = NSEntityDescription.entity(forEntityName: "Warehouse", in: context)!
        let warehouse = Warehouse(entity: entity, insertInto: context)
        warehouse.name = name
        try context.save()
        return warehouse
    }

    /// Adds a good as the last of a warehouse.
    @discardableResult
    func add(_ name: String, to warehouse: Warehouse) -> Good {
        let entity = NSEntityDescription.entity(forEntityName: "Good", in: context)!
        let good = Good(entity: entity, insertInto: context)
        good.name = name
        let goods = warehouse.goods?.mutableCopy() as! NSMutableOrderedSet
        goods.add(good)
        warehouse.goods = goods.copy() as? NSOrderedSet
        return good
    }
}

@Suite("L3-a: model, coordinator, context and store") @MainActor
struct L3aStack {
    @Test("They know each other", arguments: StoreKind.allCases)
    func stack(_ kind: StoreKind) throws {
        let folder = try Folder()
        let stack = try CoreDataStack(Warehouses.model, kind, in: folder)
        #expect(stack.psc.managedObjectModel === stack.model)
        #expect(stack.psc.persistentStores == [stack.store])
        #expect(stack.context.persistentStoreCoordinator === stack.psc)
        let store = try #require(stack.store)
        #expect(store.type == kind.type)
        #expect(store.persistentStoreCoordinator === stack.psc)
        #expect(store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
        #expect(!store.isReadOnly)
        #expect(store.metadata[NSStoreTypeKey] as? String == kind.type)
        #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(store.options?[NSMigratePersistentStoresAutomaticallyOption] as? Bool == true)
    }

    @Test("A model that is not there")
    func missingModel() {
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/no/such/Warehouse.momd")) == nil)
    }

    @Test("A store of another kind, and of a kind that nobody knows")
    func wrongKinds() throws {
        let folder = try Folder()
        let stack = try CoreDataStack(Warehouses.model, .binary, in: folder)
        _ = try stack.findOrCreate("L")
        #expect(throws: CocoaError.self) { try CoreDataStack(Warehouses.model, .sqlite, in: folder) }
        do {
            try stack.psc.addPersistentStore(ofType: "NoSuchStore", configurationName: nil, at: nil, options: nil)
            Issue.record("a store of no kind was opened")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSPersistentStoreInvalidTypeError)
        }
    }
}
