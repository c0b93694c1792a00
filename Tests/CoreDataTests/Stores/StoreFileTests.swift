import CoreData
import Testing

@Suite("Files of stores")
struct StoreFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-files-\(UUID().uuidString)")
    private let coordinator: NSPersistentStoreCoordinator
    private var url: URL { folder.appendingPathComponent("People.sqlite") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: OneEntityModel.make("Person", "name", .stringAttributeType))
    }

    private func add() throws -> NSManagedObjectContext {
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func people(_ context: NSManagedObjectContext) throws -> Int {
        try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) }
    }

    @Test("A store that the coordinator has open is destroyed, and made anew") func destroying() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
        }
        #expect(try people(context) == 1)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try people(try add()) == 0)
    }

    /// Tests open a store of their own name within the null device, or one for several coordinators.
    @Test("A store within the null device is in memory, and coordinators share it by its name") func nullDevice() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let named = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString).sqlite")
        func open(_ url: URL) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.coordinator.managedObjectModel)
            let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            #expect(store.url == url)
            #expect(store.type == NSSQLiteStoreType)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        let first = try open(named)
        try first.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: first).setValue("Ada", forKey: "name")
            try first.save()
        }
        #expect(try people(try open(named)) == 1)
        #expect(try people(try open(URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)"))) == 0)
        #expect(try people(try open(URL(fileURLWithPath: "/dev/null"))) == 0)
        try coordinator.destroyPersistentStore(at: named, ofType: NSSQLiteStoreType)
        #expect(first.persistentStoreCoordinator?.persistentStores.isEmpty == true)
        #expect(try people(try open(named)) == 0)
        #expect(throws: (any Error).self) {
            try coordinator.destroyPersistentStore(at: URL(fileURLWithPath: "/dev/null"), ofType: NSSQLiteStoreType)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType == .typeCharacterSpecial)
    }

    /// Libraries make a coordinator only to destroy a store, and remove the files of the open database next.
    @Test("A store that another coordinator has open is destroyed, and leaves an empty database") func destroyingElsewhere() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
        }
        let other = NSPersistentStoreCoordinator()
        #expect(other.managedObjectModel.entities.isEmpty)
        try other.destroyPersistentStore(at: url, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(throws: (any Error).self) { try people(context) }
        #expect(FileManager.default.fileExists(atPath: url.path))
        #expect(try people(try add()) == 0)
        try other.destroyPersistentStore(at: url, type: .sqlite)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(url.lastPathComponent) } == [])
    }

    @Test("A store that another coordinator has open is replaced, and closed there") func replacingElsewhere() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        let otherURL = folder.appendingPathComponent("Other.sqlite")
        let other = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: otherURL)
        let otherContext = MemoryStack.context(of: other)
        try otherContext.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: otherContext).setValue("Eva", forKey: "name")
            try otherContext.save()
        }
        #expect(try people(context) == 0)
        let replacing = NSPersistentStoreCoordinator()
        try replacing.replacePersistentStore(at: url, withPersistentStoreFrom: otherURL, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try people(try add()) == 1)
    }

    /// The thread that looks for remote changes was still reading: "database is locked".
    @Test("A store whose remote changes are posted is destroyed as soon as it was removed", arguments: 0..<5)
    func destroyingTracked(_: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber]
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = MemoryStack.context(of: coordinator)
        try context.performAndWait {
            for number in 0..<2000 {
                NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("\(number)", forKey: "name")
            }
            try context.save()
        }
        try coordinator.remove(store)
        try NSPersistentStoreCoordinator().destroyPersistentStore(at: url, type: .sqlite)
    }

    @Test("A migrated store is posted with the store before, and with the IDs before and after") func migrating() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        let ids = try context.performAndWait {
            let people = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Person", into: context) }
            try context.save()
            return Set(people.map(\.objectID))
        }
        nonisolated(unsafe) var posted: [Any] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { posted += $0.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] ?? [] }
        defer { NotificationCenter.default.removeObserver(observer) }
        let old = try #require(coordinator.persistentStores.first)
        let new = try coordinator.migratePersistentStore(
            old, to: folder.appendingPathComponent("Moved.sqlite"), withType: NSSQLiteStoreType)
        try #require(posted.count == 3)
        #expect(posted[0] as? NSPersistentStore == old)
        #expect(posted[1] as? NSPersistentStore == new)
        let pairs = try #require(posted[2] as? [NSManagedObjectID])
        #expect(pairs.count == 4)
        #expect(Set(pairs) == ids)
    }

    // A save was told as a conflict, 133020, that named no objects, and fetches failed with 134060 from then on.
    @Test("A file that was removed while its store is open is reported as such, by saves and by fetches") func removed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
            try FileManager.default.removeItem(at: url)
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Bea", forKey: "name")
            let refusal = #expect(throws: (any Error).self) { try context.save() }
            let saved = try #require(refusal) as NSError
            #expect(saved.code == NSFileReadNoSuchFileError)
            #expect((saved.userInfo[NSFilePathErrorKey] as? String)?.hasSuffix("People.sqlite") == true)
            #expect(context.insertedObjects.count == 1)
            let failure = #expect(throws: (any Error).self) { try people(context) }
            #expect(try (#require(failure) as NSError).code == NSFileReadNoSuchFileError)
        }
    }

    // It was 134080, and programs that begin anew after a damaged file look for 259.
    @Test("A file of another kind is reported as a damaged one") func foreign() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("This is no database, but a text that is longer than a header.".utf8).write(to: url)
        let failure = #expect(throws: (any Error).self) { try add() }
        #expect(try (#require(failure) as NSError).code == NSFileReadCorruptFileError)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url, options: nil)
        }
    }

    // The name that a store gives for its configuration was refused as that of another's, and a copy that is read only was missing.
    @Test("A store is copied by what it says of itself, into a file that is for reading") func copying() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
        }
        let store = try #require(coordinator.persistentStores.first)
        let copier = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        let source = try copier.addPersistentStore(
            ofType: store.type, configurationName: store.configurationName, at: store.url, options: [NSReadOnlyPersistentStoreOption: true])
        let copy = try copier.migratePersistentStore(
            source, to: folder.appendingPathComponent("Copy.sqlite"), options: [NSReadOnlyPersistentStoreOption: true],
            withType: NSSQLiteStoreType)
        #expect(copy.isReadOnly)
        #expect(copier.persistentStores == [copy])
        #expect(try people(MemoryStack.context(of: copier)) == 1)
    }

    @Test("A block on the coordinator's queue gives its result, or throws") func awaiting() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = coordinator
        #expect(await coordinator.perform { coordinator.persistentStores.count } == 0)
        await #expect(throws: CocoaError.self) { try await coordinator.perform { throw CocoaError(.featureUnsupported) } }
    }

    @Test("A coordinator carries requests out for a context") func executing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
            let found = try coordinator.execute(NSFetchRequest<NSManagedObject>(entityName: "Person"), with: context)
            #expect((found as? [NSManagedObject])?.first?.value(forKey: "name") as? String == "Ada")
        }
    }

    @Test("An ID is found again by the text of its URI") func identifiers() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            try context.save()
            let uri = person.objectID.uriRepresentation()
            #expect(coordinator.managedObjectID(for: uri.absoluteString) == person.objectID)
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == person.objectID)
            #expect(coordinator.managedObjectID(for: "no URI of an object") == nil)
        }
    }
}
