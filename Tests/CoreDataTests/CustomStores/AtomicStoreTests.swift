import CoreData
import Testing

@Suite(.serialized) struct AtomicStoreTests {
    private let model = customStoreModel()
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).plist")

    private func open() throws -> (NSPersistentStoreCoordinator, PropertyListStore) {
        NSPersistentStoreCoordinator.registerStoreClass(PropertyListStore.self, forStoreType: PropertyListStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: PropertyListStore.storeType, configurationName: nil, at: url)
        return (coordinator, try #require(store as? PropertyListStore))
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        let ada = context.add("Owner", ["name": "Ada", "age": 36])
        let bob = context.add("Owner", ["name": "Bob", "age": 20])
        _ = context.add("Dog", ["name": "Rex", "breed": "Labrador", "owner": ada])
        _ = context.add("Pet", ["name": "Tom", "owner": ada])
        let tag = context.add("Tag", ["label": "red"])
        tag.setValue(NSSet(array: [ada, bob]), forKey: "owners")
        try context.save()
    }

    @Test("What is saved through nodes is there when the store is opened again, with its identity") func reopening() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, store) = try open()
        let identifier = try #require(store.identifier)
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            try fill(context)
            #expect(context.insertedObjects.isEmpty)
        }
        #expect(store.cacheNodes().count == 5)
        try coordinator.remove(store)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: PropertyListStore.storeType, at: url)
        #expect(metadata[NSStoreUUIDKey] as? String == identifier)

        let (other, again) = try open()
        #expect(again.identifier == identifier)
        let reader = customStoreContext(other)
        try reader.performAndWait { () throws in
            #expect(try reader.names("Owner", "age > 18 AND ANY tags.label == 'red'") == ["Ada", "Bob"])
            #expect(try reader.names("Pet", "owner.name == 'Ada'") == ["Rex", "Tom"])
            #expect(try reader.names("Dog") == ["Rex"])
            #expect(try reader.names("Owner", "pets.@count == 2") == ["Ada"])
        }
    }

    @Test("Deleted objects take their nodes along") func deleting() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, store) = try open()
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            try fill(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            request.predicate = NSPredicate(format: "name == 'Ada'")
            for owner in try context.fetch(request) { context.delete(owner) }
            try context.save()
            #expect(try context.names("Pet").isEmpty)
        }
        #expect(store.cacheNodes().count == 2)
    }

    @Test("A save that the store throws out of leaves the nodes and the context's changes as they were") func failing() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, store) = try open()
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            let ada = context.add("Owner", ["name": "Ada"])
            try context.save()
            ada.setValue("Augusta", forKey: "name")
            store.failure = NSError(domain: "Disk", code: 28)
            #expect(throws: NSError(domain: "Disk", code: 28)) { try context.save() }
            #expect(context.hasChanges)
            #expect(store.cacheNode(for: ada.objectID)?.value(forKey: "name") as? String == "Ada")
            store.failure = nil
            try context.save()
            #expect(store.cacheNode(for: ada.objectID)?.value(forKey: "name") as? String == "Augusta")
        }
    }

    @Test("Two contexts that change one object conflict") func conflicts() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, _) = try open()
        let second = customStoreContext(coordinator)
        try expectConflict(coordinator, with: second) { first, _ in
            first.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try first.save()
        }
        try second.performAndWait { () throws in
            second.refreshAllObjects()
            #expect(try second.names("Owner") == ["Adele"])
        }
    }

    @Test("Objects made by an observer of the save are saved with their permanent IDs") func lateObjects() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, store) = try open()
        let context = customStoreContext(coordinator)
        let observer = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextWillSave, object: context, queue: nil) {
            _ = ($0.object as? NSManagedObjectContext)?.add("Tag", ["label": "late"])
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.performAndWait { () throws in
            _ = context.add("Tag", ["label": "early"])
            try context.save()
        }
        #expect(store.cacheNodes().count == 2)
    }

    @Test("Registered types are listed, and a batch request is refused") func registering() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let (coordinator, _) = try open()
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[PropertyListStore.storeType] != nil)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[NSSQLiteStoreType] != nil)
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            try fill(context)
            let request = NSBatchUpdateRequest(entityName: "Owner")
            request.propertiesToUpdate = ["age": 1]
            #expect(throws: NSError.self) { try context.execute(request) }
        }
    }
}
