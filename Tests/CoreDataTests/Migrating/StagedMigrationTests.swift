import CoreData
import Testing

@Suite("Staged migrations")
struct StagedMigrationTests {
    private let folder: MigratingModels.Folder
    private let first = MigratingModels.first()
    private let second = MigratingModels.second()

    init() throws { folder = try MigratingModels.Folder() }

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    /// A stage that makes people a year older before it, and gives them family names after it.
    private func stage(failsBefore: Bool = false, failsAfter: Bool = false) -> NSCustomMigrationStage {
        let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
        stage.willMigrateHandler = { manager, _ in
            if failsBefore { throw CocoaError(.featureUnsupported) }
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                    person.setValue((person.value(forKey: "age") as? Int ?? 0) + 1, forKey: "age")
                }
                try context.save()
            }
        }
        stage.didMigrateHandler = { manager, _ in
            if failsAfter { throw CocoaError(.featureUnsupported) }
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                    person.setValue("Lovelace", forKey: "familyName")
                }
                try context.save()
            }
        }
        return stage
    }

    private func contents(_ type: NSPersistentStore.StoreType, _ stages: [NSMigrationStage]) throws -> [String] {
        try MigratingModels.contents(
            type, at: folder.file("store"), second,
            options: [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)])
    }

    @Test("Handlers see the store before and after their stage, and what fails is taken up the next time", arguments: MigratingModels.types)
    func handlers(_ type: NSPersistentStore.StoreType) throws {
        let url = folder.file("store")
        try MigratingModels.write(type, at: url)
        var error = #expect(throws: (any Error).self) { try contents(type, [stage(failsBefore: true)]) }
        #expect((error as NSError?)?.code == NSMigrationError)
        #expect(try MigratingModels.contents(type, at: url, first) == ["Ada Lovelace, 36, -, Puff"])
        error = #expect(throws: (any Error).self) { try contents(type, [stage(failsAfter: true)]) }
        #expect((error as NSError?)?.code == NSMigrationError)
        #expect(try contents(type, [stage()]) == ["Ada Lovelace, 37, Lovelace, Puff"])
        #expect(try contents(type, [stage()]) == ["Ada Lovelace, 37, Lovelace, Puff"])
    }

    @Test("A lightweight stage leads through versions by their checksums", arguments: MigratingModels.types)
    func lightweight(_ type: NSPersistentStore.StoreType) throws {
        try MigratingModels.write(type, at: folder.file("store"))
        let stages = [first, second].map { NSLightweightMigrationStage([$0.versionChecksum]) }
        #expect(try contents(type, stages) == ["Ada Lovelace, 36, -, Puff"])
    }

    @Test("Versions that no stage has, and checksums of other models, are refused")
    func refusals() throws {
        try MigratingModels.write(.sqlite, at: folder.file("store"))
        let wrong = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: "wrong"), to: reference(second))
        let lightweight = [first, second].map { NSLightweightMigrationStage([$0.versionChecksum]) }
        let refused: [[NSMigrationStage]] = [[wrong], [lightweight[0]], [lightweight[1]]]
        for stages in refused {
            let error = #expect(throws: (any Error).self) { try contents(.sqlite, stages) }
            #expect((error as NSError?)?.code == NSManagedObjectModelReferenceNotFoundError)
        }
        let back = NSCustomMigrationStage(migratingFrom: reference(second), to: reference(first))
        let error = #expect(throws: (any Error).self) { try contents(.sqlite, [back]) }
        #expect((error as NSError?)?.code == NSStagedMigrationBackwardMigrationError)
    }

    /// A handler failed, where the version that it works with does not have the configuration yet that the store is described with.
    @Test("A version without the store's configuration has the one of its entities, or the whole", arguments: MigratingModels.types)
    func configurations(_ type: NSPersistentStore.StoreType) throws {
        let url = folder.file("store")
        try MigratingModels.write(type, at: url)
        first.setEntities(first.entities, forConfigurationName: "Everybody")
        let third = MigratingModels.third()
        third.setEntities(third.entities, forConfigurationName: "Local")
        let onward = NSCustomMigrationStage(migratingFrom: reference(second), to: reference(third))
        var seen: [String?] = []
        func configuration(_ manager: NSStagedMigrationManager) -> String? {
            manager.container?.persistentStoreCoordinator.persistentStores.first?.configurationName
        }
        onward.willMigrateHandler = { manager, _ in seen.append(configuration(manager)) }
        onward.didMigrateHandler = { manager, _ in seen.append(configuration(manager)) }
        let manager = NSStagedMigrationManager([stage(), onward])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: third)
        let options = [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
        let store = try coordinator.addPersistentStore(type: type, configuration: "Local", at: url, options: options)
        try coordinator.remove(store)
        #expect(seen == ["PF_DEFAULT_CONFIGURATION_NAME", "Local"])
        #expect(try MigratingModels.contents(type, at: url, third) == ["Ada Lovelace, 37, Lovelace, Puff"])
    }

    /// The store of a preview keeps nothing at `/dev/null`: a manager of stages took it for a file that is no store.
    @Test("A store that keeps nothing has no stages to go through")
    func nothing() throws {
        let container = NSPersistentContainer(name: "People", managedObjectModel: second)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.setOption(NSStagedMigrationManager([stage()]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }
}
