import FoundationEssentials
import Strata
import StrataBinary
import StrataFiles
import StrataInMemory
import StrataModel
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

/// Each message of a conversion, a stage, a batch or a recovery that is refused.
@Suite("Messages of refused conversions, stages, batches and recoveries")
struct RefusalMessageTests {
    private let directory: TemporaryDirectory
    private let server = SimulatedServer("readers")

    init() throws { directory = try TemporaryDirectory() }

    private func model(_ name: Attribute = Attribute("name", .string), _ more: Attribute? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                name
                if let more { more }
                Relationship("author", to: "Author", inverse: "books")
            }
            Entity("Author") { Relationship("books", to: "Book", inverse: "author", .toMany) }
        }
    }

    /// Makes a store with a book.
    private func fill(_ description: StoreDescription, _ model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book").setValue("Emma", forKey: "name")
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    // MARK: - Conversions

    /// Opens stores with IDs of their own.
    private struct OwnIDDriver: OpeningStoreDriver {
        var type: StoreType { .init(rawValue: "Own") }
        func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
            try InMemoryDriver().open(StoreDescription(.inMemory), model: model)
        }
        func metadata(at location: StoreLocation) throws -> StoreMetadata { throw StoreError(.missing, .metadata, "there is no store") }
        func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {}
        func destroy(at location: StoreLocation) throws {}
        func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {}
    }

    @Test("Of a store that has another ID, or that is removed or converted meanwhile")
    func conversions() throws {
        let coordinator = PersistentStoreCoordinator(model: try model())
        let isArmed = Mutex(false)
        var target = StoreDescription(.inMemory)
        // The conversion does not wait for the one that it is within.
        target.options.timeout = 0
        var source = StoreDescription(
            WatchedDriver(InMemoryDriver()) { [target] step in
                guard step.hasPrefix("begin"),
                    isArmed.withLock({ isArmed in
                        defer { isArmed = false }
                        return isArmed
                    })
                else { return }
                for store in coordinator.stores { _ = try coordinator.migrateStore(store, to: target) }
            })
        source.options.timeout = 0
        let store = try coordinator.addStore(source)
        #expect(
            messageOfError { _ = try coordinator.migrateStore(store, to: StoreDescription(OwnIDDriver(), path: directory.file("New"))) }
                == "the new store has another ID than it was given")
        let removing = WatchedDriver(InMemoryDriver()) { step in
            guard step.hasPrefix("begin") else { return }
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        #expect(
            messageOfError { _ = try coordinator.migrateStore(store, to: StoreDescription(removing)) }
                == "the store was removed meanwhile")
        let other = try coordinator.addStore(source)
        isArmed.withLock { $0 = true }
        #expect(
            messageOfError { _ = try coordinator.migrateStore(other, to: StoreDescription(.inMemory)) }
                == "the store was converted meanwhile")
    }

    @Test("Of a context whose generation is that of a converted store")
    func generations() throws {
        let coordinator = PersistentStoreCoordinator(model: try model())
        let store = try coordinator.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(coordinator)
        try context.setQueryGenerationFrom(.current)
        let books = ObjectFetchRequest<ManagedObject>(entityName: "Book")
        _ = try context.fetch(books)
        _ = try coordinator.migrateStore(store, to: StoreDescription(.inMemory))
        #expect(
            messageOfError { _ = try context.fetch(books) } == "the store was converted or opened anew since its state was held")
    }

    // MARK: - Migrations

    @Test("Of a stage whose copy has no location, or whose store is locked")
    func stages() throws {
        let (old, new) = (try model(), try model(Attribute("title", .string)))
        let stages = [MigrationStage.custom(to: new) { _, _ in }]
        let onServer = StoreDescription(SimulatedDriver(server), at: server.location)
        try fill(onServer, old)
        #expect(
            messageOfError { try PersistentStoreCoordinator.migrateStore(onServer, through: stages) }
                == "a store that is no file cannot be copied for a conversion that sees it as it was")
        #expect(
            messageOfError { try PersistentStoreCoordinator.migrateStore(onServer, to: new) }
                == "the store cannot be brought to another version of its model")
        var description = StoreDescription(.binary, path: directory.file("Store"))
        description.options.timeout = 0
        try fill(description, old)
        let lock = try FileLock.lock(directory.file(".Store.stages"), timeout: .seconds(0))
        #expect(
            messageOfError { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
                == "another process migrates the store in stages")
        lock.unlock()
        try fill(StoreDescription(.binary, path: directory.file("Store-before")), old)
        #expect(
            messageOfError { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
                == "a copy of the store as it was before the stage is to be made here")
    }

    @Test("Of a composite value that the new model requires")
    func compositeValues() throws {
        let description = StoreDescription(.binary, path: directory.file("Store"))
        try fill(description, model())
        let sized = try model(Attribute("name", .string), Attribute("size") { Attribute("width", .double) }.required)
        let missing = "… and has no default, and there is an object without it (p1)"
        #expect(masked(messageOfError { try PersistentStoreCoordinator.migrateStore(description, to: sized) }, missing) == missing)
    }

    @Test("Of a store that does not keep its model")
    func models() throws {
        let (old, new) = (try model(), try model(Attribute("title", .string)))
        var description = StoreDescription(.binary, path: directory.file("Store"))
        try fill(description, old)
        let store = try openStore(description, model: old)
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        var metadata = try transaction.metadata()
        metadata.userInfo[StoreMetadata.modelKey] = nil
        changes.metadata = metadata
        _ = try transaction.apply(changes)
        try transaction.prepare()
        try transaction.commit()
        try store.close()
        let message = "the store does not keep the model that it was made with"
        #expect(messageOfError { _ = try PersistentStoreCoordinator(openingWithOwnModel: description) } == message)
        let source = message + ", and none of the earlier models that were given fits it"
        #expect(messageOfError { try PersistentStoreCoordinator.migrateStore(description, to: new) } == source)
        description.shouldMigrateStoreAutomatically = true
        let opening = "the store was made with another version of: Book…; it cannot be migrated, as …"
        #expect(masked(messageOfError { try PersistentStoreCoordinator(model: new).addStore(description) }, opening) == opening)
    }

    @Test("Of derived values that are equal where they may not be")
    func derivations() throws {
        func model(_ derivation: String) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Book") {
                    Attribute("name", .string)
                    Attribute("key", .string).with { $0.derivationExpression = derivation }
                    Unique("key")
                }
            }
        }
        var description = StoreDescription(.binary, path: directory.file("Store"))
        description.shouldMigrateStoreAutomatically = true
        let coordinator = PersistentStoreCoordinator(model: try model("name"))
        let store = try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        for name in ["a", "A"] { try context.insert("Book").setValue(name, forKey: "name") }
        try context.save()
        try coordinator.remove(store)
        #expect(
            messageOfError { try PersistentStoreCoordinator(model: model("uppercase:(name)")).addStore(description) }
                == "duplicate key: derived values violate a uniqueness constraint")
    }

    @Test("Of a derived value whose computation takes too long")
    func costlyDerivation() throws {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                Attribute("isOdd", .integer16).with { $0.derivationExpression = #"TERNARY(name MATCHES "(a+)+\\1b", 1, 0)"# }
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book").setValue(String(repeating: "a", count: 200) + "!", forKey: "name")
        #expect(messageOfError { try context.save() } == "the value cannot be derived")
    }

    // MARK: - Batches and saves

    private struct Failure: Error, CustomStringConvertible { let description = "no luck" }

    @Test("Of a batch with values that cannot be stored")
    func batches() throws {
        let failing = ValueTransformer(name: "Failing", [Int].self) { _ in
            throw Failure()
        } decode: { _ in
            throw Failure()
        }
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                Attribute("notes", .transformable, transformer: failing)
                Unique("name")
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.inMemory))
        let count = Mutex(0)
        let notes = BatchInsertRequest(entityName: "Book") { (row: inout BatchRow) in
            row[Key<[Int]>("notes")] = [1]
            return count.withLock { count in
                count += 1
                return count > 1
            }
        }
        #expect(messageOfError { _ = try coordinator.execute(notes) } == "the value cannot be encoded: no luck")
        var again = BatchInsertRequest(entityName: "Book", objects: [["name": "Emma"]])
        _ = try coordinator.execute(again)
        again.mergePolicy = MergePolicy("shoes") { _ in .values(["shoe": 1]) }
        #expect(messageOfError { _ = try coordinator.execute(again) } == "a merge policy gave it a value")
    }

    @Test("Of a row that references a new one which is not saved with it")
    func references() throws {
        let coordinator = PersistentStoreCoordinator(model: try model())
        try coordinator.addStore(StoreDescription(.inMemory))
        let entity = try #require(coordinator.model.entity(named: "Book"))
        guard case .toOne(let slot, _, _) = try #require(entity.relationship(named: "author")).storage else {
            Issue.record("author is in no slot")
            return
        }
        var writer = RowWriter()
        writer.begin(entity, reference: -1, version: 1)
        writer.set(integer: -2, at: slot)
        var request = SaveChangesRequest()
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        request.parts = [SaveChangesRequest.Part(storeID: try coordinator.storeForNewObjects(of: entity), changes)]
        let message = "… is related to …, a new object that is not saved with it"
        #expect(masked(messageOfError { _ = try coordinator.save(request) }, message) == message)
    }

    // MARK: - Servers

    @Test("Of a store that cannot report remote changes")
    func remoteChanges() throws {
        var description = StoreDescription(SimulatedDriver(server), at: server.location)
        description.options.postsRemoteChanges = true
        #expect(
            messageOfError { try PersistentStoreCoordinator(model: model()).addStore(description) }
                == "the store does not support remote-change tracking")
    }

    @Test("Of a save that another process revokes once a server has prepared it")
    func revocation() throws {
        let readers = StoreDescription(SimulatedDriver(server), at: server.location)
        let library = try Library(StoreDescription(.binary, path: directory.file("Books")), readers)
        let coordinator = try library.open()
        server.afterPreparing { try PersistentStoreCoordinator(model: library.model).addStore(library.stores[1]) }
        #expect(
            messageOfError { try Library.save("a", coordinator) }
                == "another process revoked the two-phase commit of the save after a server had lost its session")
    }

    @Test("Of rows that a save locks whose outcome is unknown")
    func lockedRows() throws {
        var readers = StoreDescription(SimulatedDriver(server), at: server.location)
        readers.options.timeout = 0
        let library = try Library(StoreDescription(.binary, path: directory.file("Books")), readers)
        let coordinator = try library.open()
        let broken = StoreError(.io, .save, "the connection is broken")
        server.fail(.commitPrepared, with: broken, broken)
        #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
        for store in coordinator.stores { try coordinator.remove(store) }
        server.recover()
        try PosixFileSystem.shared.unlink(directory.file("Books"))
        let again = PersistentStoreCoordinator(model: library.model)
        try again.addStore(library.stores[1])
        let context = ManagedObjectContext(again)
        try context.insert("Reader")
        let message = """
            rows are locked by a save in doubt: the two-phase commit of save … was interrupted, and can be neither finished nor \
            forgotten without the coordinator record of the store … at …; PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) ends it
            """
        #expect(masked(messageOfError { try context.save() }, message) == message)
    }
}
