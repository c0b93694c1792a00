import Strata
import StrataInMemory
import StrataStore
import StrataTestSupport
import Testing

/// Stores that keep nothing commit last, when nothing about the save is to fail any more.
@Suite("Commits of stores that keep nothing")
struct VolatileCommitTests {
    private let model: ManagedObjectModel
    private let servers = [SimulatedServer("books"), SimulatedServer("notes"), SimulatedServer("drafts")]

    init() throws {
        model = try ManagedObjectModel {
            for (name, configuration) in [("Book", "books"), ("Note", "notes"), ("Draft", "drafts")] {
                Entity(name) { Attribute("name", .string) }
                EntityConfiguration(configuration, name)
            }
        }
    }

    private func description(_ index: Int, _ configuration: String) -> StoreDescription {
        var driver = SimulatedDriver(servers[index])
        driver.prepares = false
        driver.isPersistent = false
        return StoreDescription(driver, at: servers[index].location, configuration: configuration)
    }

    private func counts(_ coordinator: PersistentStoreCoordinator) throws -> [Int] {
        let context = ManagedObjectContext(coordinator)
        return try ["Book", "Note", "Draft"].map { try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: $0)) }
    }

    private func insert(into context: ManagedObjectContext) throws {
        for name in ["Book", "Note", "Draft"] { try context.insert(name).setValue("a", forKey: "name") }
    }

    private static let failure = StoreError(.io, .save, "the connection broke")

    @Test("A save that a store which keeps nothing misses is in doubt, and in all others")
    func missed() throws {
        // The error was the store's own, as if nothing had taken effect, and the stores behind the one that failed were left without the save.
        for failing in [1, 2] {
            let directory = try TemporaryDirectory()
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.addStore(TestStore.sqlite.description(in: directory.path, configuration: "books"))
            for (index, configuration) in [(1, "notes"), (2, "drafts")] { try coordinator.addStore(description(index, configuration)) }
            servers[failing].fail(.commit, with: Self.failure)
            let context = ManagedObjectContext(coordinator)
            try insert(into: context)
            let heard = Heard(coordinator)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .inDoubt)
            #expect(error?.message == "a store that keeps nothing did not commit what the others of the save did")
            #expect((error?.underlying as? StoreError)?.code == .io)
            #expect(try counts(coordinator) == (failing == 1 ? [1, 0, 1] : [1, 1, 0]))
            // The others have the save for good.
            let told = try #require(heard.events.first).stores.flatMap(\.inserted).map(\.id.entity.name)
            #expect(Set(told) == (failing == 1 ? ["Book", "Draft"] : ["Book", "Note"]))
            for server in servers { server.forget() }
        }
    }

    @Test("A save whose first store does not commit is in none")
    func refused() throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        for (index, configuration) in ["books", "notes", "drafts"].enumerated() {
            try coordinator.addStore(description(index, configuration))
        }
        let context = ManagedObjectContext(coordinator)
        try insert(into: context)
        // Whichever is the first: the next two succeed, or are not asked.
        let first = try #require(coordinator.stores.min { $0.id < $1.id })
        servers.first { $0.location == first.location }?.fail(.commit, with: Self.failure)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .io)
        #expect(try counts(coordinator) == [0, 0, 0])
        try context.save()
        #expect(try counts(coordinator) == [1, 1, 1])
    }
}
