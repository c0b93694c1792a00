import CoreData
import Testing

@Suite(.serialized) struct IncrementalStoreTests {
    private let model = customStoreModel()
    private let service = DictionaryService()

    private func open() throws -> (NSPersistentStoreCoordinator, DictionaryStore) {
        NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: DictionaryStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: DictionaryStore.storeType, configurationName: nil, at: URL(string: "https://example.org/api"),
            options: ["service": service])
        return (coordinator, try #require(store as? DictionaryStore))
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

    @Test("A store is handed conditions, orders and limits, and its faults are fulfilled by its nodes") func fetching() throws {
        let (coordinator, store) = try open()
        #expect(store.identifier == "8A1D1C0E-0C5B-4E0B-9E0E-2B1C1F1E6D11")
        let (writer, reader) = (customStoreContext(coordinator), customStoreContext(coordinator))
        try writer.performAndWait { () throws in try fill(writer) }
        try reader.performAndWait { () throws in
            #expect(try reader.names("Owner", "age > 30") == ["Ada"])
            #expect(service.conditions.last == "age > 30")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchOffset = 1
            request.fetchLimit = 1
            let bob = try #require(try reader.fetch(request).first)
            #expect(bob.value(forKey: "name") as? String == "Bob")
            #expect((bob.value(forKey: "tags") as? NSSet)?.count == 1)
            #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Pet")) == 2)
            #expect(try reader.names("Dog") == ["Rex"])
        }
    }

    @Test("What is asked about collections is found among all of the store's objects") func collections() throws {
        let (coordinator, _) = try open()
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            try fill(context)
            context.reset()
            #expect(try context.names("Owner", "ANY pets.name == 'Rex'") == ["Ada"])
            #expect(try context.names("Owner", "tags.@count == 1") == ["Ada", "Bob"])
            #expect(service.conditions.last == "")
        }
    }

    @Test("A save hands over new, changed and deleted objects; what the store throws fails it") func saving() throws {
        let (coordinator, store) = try open()
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            try fill(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            request.predicate = NSPredicate(format: "name == 'Ada'")
            let ada = try #require(try context.fetch(request).first)
            #expect(store.referenceObject(for: ada.objectID) as? String == "key1")
            ada.setValue(37, forKey: "age")
            service.failure = NSError(domain: "Network", code: 503)
            #expect(throws: NSError(domain: "Network", code: 503)) { try context.save() }
            #expect(context.hasChanges)
            service.failure = nil
            try context.save()
            #expect(service.records["Owner"]?["key1"]?["age"] as? Int == 37)
            context.delete(ada)
            try context.save()
            #expect(service.records["Owner"]?.count == 1)
            #expect(service.records["Pet"]?.isEmpty == true)
            #expect(service.records["Dog"]?.isEmpty == true)
        }
    }

    @Test("Two contexts that change one object conflict, whatever versions the store has") func conflicts() throws {
        let (coordinator, _) = try open()
        try expectConflict(coordinator, with: customStoreContext(coordinator)) { first, ada in
            first.refresh(ada, mergeChanges: false)
            #expect(ada.value(forKey: "name") as? String == "Augusta")
            ada.setValue("Adele", forKey: "name")
            try first.save()
        }
    }

    @Test("An object that the store does not have any more is reported so") func missing() throws {
        let (coordinator, _) = try open()
        let context = customStoreContext(coordinator)
        try context.performAndWait { () throws in
            let ada = context.add("Owner", ["name": "Ada"])
            try context.save()
            service.records["Owner"] = nil
            context.refreshAllObjects()
            let error = #expect(throws: NSError.self) { try context.existingObject(with: ada.objectID) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test("A node has the values that it was given last") func nodes() throws {
        let (coordinator, store) = try open()
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Owner"])
        let id = store.newObjectID(for: entity, referenceObject: 7)
        #expect(store.referenceObject(for: id) as? Int == 7)
        #expect(id.uriRepresentation().lastPathComponent == "p7")
        let node = NSIncrementalStoreNode(objectID: id, withValues: ["name": "Ada"], version: 1)
        node.update(withValues: ["name": "Augusta"], version: 2)
        let name = try #require(entity.propertiesByName["name"])
        #expect(node.version == 2)
        #expect(node.value(for: name) as? String == "Augusta")
    }
}
