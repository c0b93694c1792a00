import Foundation
import Strata
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

@Suite("Tracking of remote changes", .timeLimit(.minutes(60)))
struct RemoteChangeTrackerTests {
    private let model: ManagedObjectModel
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        model = try ManagedObjectModel {
            Entity("Book") { Attribute("name", .string) }
        }
    }

    private func description(_ store: TestStore, isTracked: Bool = true) -> StoreDescription {
        var description = store.description(in: directory.path)
        description.options.postsRemoteChanges = isTracked
        return description
    }

    private func coordinator(_ description: StoreDescription) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        return coordinator
    }

    @discardableResult
    private func save(_ name: String, _ coordinator: PersistentStoreCoordinator) throws -> ObjectID {
        for store in coordinator.stores { try store.backend.refresh() }
        let context = ManagedObjectContext(coordinator)
        let book = try context.insert("Book")
        try book.setValue(name, forKey: "name")
        try context.save()
        return book.objectID
    }

    private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + waitLimit
        while ContinuousClock.now < end {
            if try condition() { return true }
            usleep(1000)
        }
        return false
    }

    @Test("without a thread fails as the store is opened")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let model = try ManagedObjectModel(entities: [Entity("Book") { Attribute("name", .string) }])
            var description = StoreDescription(.sqlite, path: directory.file("Store"))
            description.options.postsRemoteChanges = true
            // More than there are addresses for the stack of a thread; some C libraries have no such default.
            typealias SetDefault = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
            guard let setDefault = dlsym(nil, "pthread_setattr_default_np").map({ unsafeBitCast($0, to: SetDefault.self) }) else { return }
            let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
            pthread_attr_init(attributes)
            pthread_attr_setstacksize(attributes, 1 << 50)
            #expect(setDefault(attributes) == 0)
            let coordinator = PersistentStoreCoordinator(model: model)
            let message = messageOfError { try coordinator.addStore(description) }
            #expect(message == "no thread is available to track remote changes of the store")
            pthread_attr_setstacksize(attributes, 1 << 20)
            #expect(setDefault(attributes) == 0)
            try coordinator.addStore(description)
        }
    }

    @Test("are let go with their coordinator", arguments: TestStore.durable)
    func lifetime(_ store: TestStore) throws {
        weak var gone: PersistentStoreCoordinator?
        do {
            let coordinator = try coordinator(description(store))
            try save("a", coordinator)
            gone = coordinator
        }
        #expect(gone == nil)
        // Nobody has the file any more.
        let isFree = eventually {
            do {
                try description(store).driver.destroy(at: description(store).location)
                return true
            } catch { return false }
        }
        #expect(isFree)
    }

    @Test("are not reported once they are removed, and again when they are added", arguments: TestStore.durable)
    func removing(_ store: TestStore) throws {
        let here = try coordinator(description(store))
        let there = try coordinator(description(store, isTracked: false))
        let heard = Heard(here)
        let first = try save("1", there)
        #expect(eventually { !heard.events.isEmpty })
        try here.remove(try #require(here.stores.first))
        try save("2", there)
        try here.addStore(description(store))
        let third = try save("3", there)
        #expect(eventually { heard.events.count > 1 })
        #expect(heard.events.flatMap(\.stores).flatMap(\.inserted).map(\.id) == [first, third])
    }

    @Test("are reported while they are opened", arguments: TestStore.durable)
    func opening(_ store: TestStore) throws {
        let there = try coordinator(description(store, isTracked: false))
        for round in 0..<5 {
            let here = try coordinator(description(store))
            let heard = Heard(here)
            let id = try save("\(round)", there)
            #expect(eventually { !heard.events.isEmpty })
            #expect(heard.events.flatMap(\.stores).flatMap(\.inserted).map(\.id) == [id])
        }
    }

    @Test("go on once a file that was away is back", arguments: [TestStore.xml, .binary])
    func missing(_ store: TestStore) throws {
        let here = try coordinator(description(store))
        let there = try coordinator(description(store, isTracked: false))
        let heard = Heard(here)
        let path = try #require(description(store).path)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try Data("no store".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try here.refreshStores(here.stores.map(\.id)) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        let id = try save("a", there)
        #expect(eventually { !heard.events.isEmpty })
        #expect(heard.events.flatMap(\.stores).flatMap(\.inserted).map(\.id) == [id])
    }

    // The number was remembered as the coordinator's own: the update was added to the history again, as another program's.
    @Test("with the number of a failed save in the history are not taken for its own")
    func numberOfFailedSave() throws {
        let server = SimulatedServer("notes")
        let model = try ManagedObjectModel {
            for (name, configuration) in [("Book", "books"), ("Note", "notes")] {
                Entity(name) { Attribute("name", .string) }
                EntityConfiguration(configuration, name)
            }
        }
        var books = TestStore.sqlite.description(in: directory.path, configuration: "books")
        books.options.history = .unlimited
        let there = PersistentStoreCoordinator(model: model)
        try there.addStore(books)
        books.options.postsRemoteChanges = true
        let here = PersistentStoreCoordinator(model: model)
        try here.addStore(books)
        try here.addStore(StoreDescription(SimulatedDriver(server), at: server.location, configuration: "notes"))
        let heard = Heard(here)
        let id = try save("a", there)
        #expect(eventually { !heard.events.isEmpty })
        server.fail(.prepare, with: StoreError(.full, .save, "the server is full"))
        let failing = ManagedObjectContext(here)
        for entity in ["Book", "Note"] { try failing.insert(entity) }
        #expect(throws: StoreError.self) { try failing.save() }
        let context = ManagedObjectContext(there)
        try context.existingObject(with: id).setValue("b", forKey: "name")
        try context.save()
        #expect(eventually { heard.events.flatMap(\.stores).flatMap(\.updated).contains { $0.id == id } })
        // What is found past the history is added after the event.
        usleep(300_000)
        #expect(try there.history.transactions(HistoryRequest()).map(\.origin.kind) == [.save, .save])
    }

    @Test("do no harm where their file is destroyed", arguments: TestStore.durable)
    func destroyed(_ store: TestStore) throws {
        let here = try coordinator(description(store))
        let heard = Heard(here)
        try save("a", here)
        #expect(eventually { !heard.events.isEmpty })
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
        }
        #expect(throws: StoreError.self) { try save("b", here) }
        #expect(heard.events.count == 1)
        try here.remove(try #require(here.stores.first))
    }

    @Test("must be of a kind that can report changes, or not persist any")
    func kinds() throws {
        #expect(try coordinator(description(.inMemory)).stores.count == 1)
        let server = SimulatedServer("books")
        var description = StoreDescription(SimulatedDriver(server), at: server.location)
        description.options.postsRemoteChanges = true
        let error = #expect(throws: StoreError.self) { try coordinator(description) }
        #expect(error?.code == .unsupported)
    }

    @Test("report own saves from the moment on that they are open, each once", arguments: TestStore.durable)
    func own(_ store: TestStore) throws {
        let here = try coordinator(description(store))
        let heard = Heard(here)
        let ids = try (0..<20).map { try save("\($0)", here) }
        #expect(eventually { heard.events.count >= 20 })
        #expect(heard.events.flatMap(\.stores).flatMap(\.inserted).map(\.id) == ids)
        #expect(heard.events.allSatisfy { !$0.isRemote })
    }
}
