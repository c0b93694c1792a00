import Strata
import StrataInMemory
import StrataSQLite
import StrataTestSupport
import Testing

/// Each message of a store that a coordinator refuses to open, to convert or to ask.
@Suite("Messages of stores")
struct StoreMessageTests {
    private let directory: TemporaryDirectory
    private let model: ManagedObjectModel
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        directory = try TemporaryDirectory()
        model = try ManagedObjectModel {
            Entity("Book") { Attribute("name", .string) }
            Entity("Author") { Attribute("name", .string) }
            EntityConfiguration("Authors", "Author")
        }
        coordinator = PersistentStoreCoordinator(model: model)
    }

    private func description(_ name: String) -> StoreDescription { StoreDescription(.sqlite, path: directory.file(name)) }

    @discardableResult
    private func filled(_ name: String) throws -> any PersistentStore {
        let store = try coordinator.addStore(description(name))
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book")
        try context.save()
        return store
    }

    @Test("Of a store that is open already, under its path or another")
    func open() throws {
        let store = try filled("First")
        #expect(messageOfError { try coordinator.addStore(description("First")) } == "the coordinator has the store open already")
        #expect(
            messageOfError { try coordinator.destroyStore(at: directory.file("First"), .sqlite) } == "the coordinator has the store open")
        try coordinator.replaceStore(at: directory.file("Copy"), withStoreAt: directory.file("First"), .sqlite)
        #expect(messageOfError { try coordinator.addStore(description("Copy")) } == "a store with the same UUID is open already")
        #expect(
            messageOfError { _ = try coordinator.migrateStore(store, to: description("Copy")) }
                == "there are objects in the new store already")
    }

    @Test("Of a driver that has no way to open stores")
    func driver() {
        struct ClosedDriver: StoreDriver {
            let type = StoreType(rawValue: "Closed")
            func metadata(at location: StoreLocation) throws -> StoreMetadata { throw StoreError(.missing, .metadata, "there is no store") }
            func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) {}
            func destroy(at location: StoreLocation) {}
            func replace(at location: StoreLocation, withStoreAt source: StoreLocation) {}
        }
        #expect(messageOfError { try coordinator.addStore(StoreDescription(ClosedDriver())) } == "the driver cannot open stores")
        #expect(coordinator.stores.isEmpty)
    }

    @Test("Of a configuration that the model or the new store does not have")
    func configurations() throws {
        var other = description("Other")
        other.configuration = "None"
        #expect(messageOfError { try coordinator.addStore(other) } == "the model has no configuration None")
        other.configuration = "Authors"
        let store = try filled("First")
        #expect(
            messageOfError { _ = try coordinator.migrateStore(store, to: other) } == "the new store's configuration has no such entity")
    }

    @Test("Of a model whose default value has no form in metadata")
    func metadata() throws {
        let model = try ManagedObjectModel {
            Entity("Book") { Attribute("tags", .undefined, default: .list(["a"])).transient }
        }
        let other = PersistentStoreCoordinator(model: model)
        #expect(messageOfError { try other.addStore(description("Listed")) } == "the model cannot be kept in the store")
    }

    @Test("Of a conversion to where another store is")
    func conversion() throws {
        let store = try filled("First")
        let another = PersistentStoreCoordinator(model: model)
        try another.remove(another.addStore(description("Second")))
        #expect(messageOfError { _ = try coordinator.migrateStore(store, to: description("Second")) } == "there is a store already")
    }

    @Test("Of a fetch from a store that the coordinator does not have")
    func missing() throws {
        try filled("First")
        let another = PersistentStoreCoordinator(model: model)
        let store = try another.addStore(StoreDescription(.inMemory))
        var request = ObjectFetchRequest<ManagedObject>(entityName: "Book")
        request.affectedStores = [store]
        #expect(
            messageOfError { _ = try ManagedObjectContext(coordinator).fetch(request) } == "the coordinator has no store \(store.id)")
    }

    @Test("Of a batch update of objects in a store that is read-only")
    func readOnly() throws {
        try coordinator.remove(try filled("First"))
        var reading = description("First")
        reading.isReadOnly = true
        try coordinator.addStore(reading)
        try coordinator.addStore(StoreDescription(.inMemory))
        #expect(
            messageOfError { _ = try coordinator.execute(BatchUpdateRequest(entityName: "Book", set: ["name": .constant("x")])) }
                == "there are objects to be changed in a store that is read-only")
    }

    @Test("Of attributes that cannot be derived as the model says")
    func derivations() throws {
        func message(_ first: String, _ second: String = "a + 1") throws -> String? {
            let model = try ManagedObjectModel {
                Entity("Book") {
                    Attribute("a", .integer16)
                    Attribute("b", .integer16).with { $0.derivationExpression = first }
                    Attribute("c", .integer16).with { $0.derivationExpression = second }
                }
            }
            let coordinator = PersistentStoreCoordinator(model: model)
            return messageOfError {
                try coordinator.addStore(StoreDescription(.inMemory))
                let context = ManagedObjectContext(coordinator)
                try context.insert("Book").setValue(1_000, forKey: "a")
                try context.save()
            }
        }
        #expect(try message("shoe") == "Book.b: it cannot be derived as it says: shoe on Book: Book has no property shoe")
        #expect(try message("c + 1", "b + 1") == "Book.b: attributes are derived of each other")
        #expect(try message("a * 1000") == "the derived value 1000000 is no integer16")
    }
}
