import StrataEvaluation
import StrataInMemory
import StrataModel
import StrataQuery
import StrataStore
import Testing

@Suite("Stores in memory", .timeLimit(.minutes(60)))
struct InMemoryStoreTests {
    let model: ManagedObjectModel
    let note: EntityDescription

    init() throws {
        model = try ManagedObjectModel {
            Entity("Note") {
                Attribute("text", .string)
                FetchIndex("byText", on: "text")
            }
        }
        note = try #require(model.entity(named: "Note"))
    }

    private func open(_ driver: InMemoryDriver = .inMemory, path: String? = nil, isReadOnly: Bool = false) throws -> any StoreBackend {
        try driver.open(StoreDescription(driver, path: path, isReadOnly: isReadOnly), model: model)
    }

    @Test("A store in memory has no file whose metadata could be set, and that could be replaced")
    func files() {
        let message = "a store in memory has no file"
        let driver = InMemoryDriver()
        #expect((#expect(throws: StoreError.self) { try driver.metadata(at: .memory) })?.message == message)
        #expect((#expect(throws: StoreError.self) { try driver.replace(at: .memory, withStoreAt: .memory) })?.message == message)
    }

    private func add(_ text: String, to store: any StoreBackend) throws {
        let transaction = try store.beginWrite()
        let slot = try #require(note.attribute(named: "text")?.slot)
        var writer = RowWriter()
        writer.begin(note, reference: try transaction.reserveReferences(1, root: note.root), version: 1)
        writer.set(text: text, at: slot)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        try transaction.commit()
    }

    private func count(_ store: any StoreBackend, _ text: String? = nil) throws -> Int {
        var plan = FetchPlan(note, .count)
        plan.predicate = try text.map { try (Key<String>("text") == $0).resolved(for: note, in: model) }
        guard case .count(let count) = try store.read({ try $0.execute(plan) }) else { return -1 }
        return count
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test("Every store that is opened is a new, empty one", arguments: [nil, "/dev/null", "/somewhere/Notes"])
    func apart(path: String?) throws {
        let (first, second) = (try open(path: path), try open(path: path))
        try add("a", to: first)
        #expect(try count(first) == 1)
        #expect(try count(second) == 0)
        #expect(first.id != second.id)
        #expect(first.path == nil)
        #expect(first.type.rawValue == "InMemory")
        #expect(try first.metadata().storeID == first.id)
        #expect(!first.capabilities.isPersistent)
    }

    @Test("Stores of one name share what they hold until the last is closed")
    func named() throws {
        let driver = InMemoryDriver.inMemory(named: "named")
        let (first, second) = (try open(driver), try open(driver))
        #expect(first.id == second.id)
        try add("a", to: first)
        #expect(try count(second, "a") == 1)
        #expect(try count(open(.inMemory(named: "another"))) == 0)
        try first.close()
        try add("b", to: second)
        let third = try open(driver)
        #expect(try count(third) == 2)
        try second.close()
        try third.close()
        #expect(try count(open(driver)) == 0)
    }

    @Test("A name is not shared by stores of different models")
    func otherModel() throws {
        let driver = InMemoryDriver.inMemory(named: "models")
        let store = try open(driver)
        let other = try ManagedObjectModel { Entity("Note") { Attribute("number", .integer64) } }
        #expect(code { _ = try driver.open(StoreDescription(driver), model: other) } == .incompatibleModel)
        try store.close()
        #expect(code { _ = try driver.open(StoreDescription(driver), model: other) } == nil)
    }

    @Test("A closed store does nothing any more, and one for reading only is not written")
    func limits() throws {
        let store = try open(isReadOnly: true)
        #expect(code { _ = try store.beginWrite() } == .readOnly)
        try store.close()
        try store.close()
        #expect(code { _ = try store.metadata() } == .closed)
        #expect(code { _ = try count(store) } == .closed)
    }

    @Test("There is nothing at any path")
    func paths() throws {
        let driver = InMemoryDriver.inMemory
        #expect(code { _ = try driver.metadata(at: "/d/Notes") } == .missing)
        #expect(code { try driver.setMetadata(try open().metadata(), at: "/d/Notes") } == .missing)
        #expect(code { try driver.destroy(at: "/d/Notes") } == nil)
        #expect(code { try driver.replace(at: "/d/Notes", withStoreAt: "/d/Other") } == .unsupported)
    }

    @Test("An unknown configuration opens nothing")
    func configuration() throws {
        let description = StoreDescription(.inMemory, configuration: "None")
        #expect(code { _ = try openStore(description, model: model) } == .unknownEntity)
    }

    @Test("Readers on other threads see whole saves while one thread writes")
    func concurrency() async throws {
        let store = try open()
        let (model, note) = (model, note)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var last = 0
                    while last < 400 {
                        // The writer needs a thread too.
                        await Task.yield()
                        let (all, found) = try store.read { reader -> (Int, Int) in
                            guard case .count(let all) = try reader.execute(FetchPlan(note, .count)) else { return (0, 0) }
                            var plan = FetchPlan(note)
                            plan.predicate = try (Key<String>("text") == "pair").resolved(for: note, in: model)
                            guard case .rows(let rows, _) = try reader.execute(plan) else { return (0, 0) }
                            return (all, rows.count)
                        }
                        #expect(all == found)
                        #expect(all % 2 == 0)
                        #expect(all >= last)
                        last = all
                    }
                }
            }
            group.addTask {
                let slot = note.attribute(named: "text")?.slot ?? 0
                for _ in 0..<200 {
                    await Task.yield()
                    let transaction = try store.beginWrite()
                    let first = try transaction.reserveReferences(2, root: note.root)
                    var changes = ChangeSet()
                    var writer = RowWriter()
                    for reference in [first, first + 1] {
                        writer.begin(note, reference: reference, version: 1)
                        writer.set(text: "pair", at: slot)
                        changes.inserted.append(writer.finish())
                    }
                    _ = try transaction.apply(changes)
                    try transaction.commit()
                }
            }
            try await group.waitForAll()
        }
        #expect(try count(store) == 400)
    }
}
