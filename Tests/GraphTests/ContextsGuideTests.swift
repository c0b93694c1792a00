import Strata
import StrataInMemory
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The guide to contexts", .timeLimit(.minutes(60)))
struct ContextsGuideTests {
    final class Person: ManagedObject {
        static let name = Key<String>("name")
        var name: String? {
            get { self[Self.name] }
            set { self[Self.name] = newValue }
        }
    }

    private let container: PersistentContainer

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Person", class: Person.self) { Attribute("name", .string) }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
    }

    actor Register {
        private let context: ManagedObjectContext

        init(_ container: PersistentContainer) {
            context = container.newContext()
        }

        func add(_ name: String) throws {
            Person(context: context).name = name
            try context.save()
        }
    }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Contexts") == (8, []))
    }

    private func saved() throws -> [String] {
        try container.newContext().fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending])).compactMap(\.name)
    }

    @Test("Blocks make objects, and wait for names")
    func blocks() async throws {
        @Sendable func names() async throws -> [String] { ["Bob", "Cid"] }
        let background = container.newBackgroundContext()
        let total = try await background.perform { context in
            let person = Person(context: context)
            person.name = "Ann"
            try context.save()
            return try context.count(for: ObjectFetchRequest<Person>())
        }
        #expect(total == 1)
        try await background.perform { context in
            for name in try await names() {
                Person(context: context).name = name
            }
            try context.save()
        }
        #expect(try saved() == ["Ann", "Bob", "Cid"])
    }

    @Test("An actor adds people")
    func actors() async throws {
        try await Register(container).add("Ann")
        #expect(try saved() == ["Ann"])
    }

    @Test("A form changes a copy, and an import goes through the view") @MainActor
    func children() async throws {
        let view = container.viewContext
        view.automaticallyMergesChangesFromParent = true
        let person = Person(context: view)
        person.name = "Ann"
        try view.save()
        let form = ManagedObjectContext(parent: view)
        let copy = try form.existingObject(with: person.objectID, as: Person.self)
        copy.name = "Anna"
        try form.save()
        try view.save()
        #expect(person.name == "Anna")
        let importer = BackgroundContext(parent: view, name: "import")
        try await importer.perform { context in
            Person(context: context).name = "Bob"
            try context.save()
        }
        #expect(try saved() == ["Anna"])
        try view.save()
        #expect(try saved() == ["Anna", "Bob"])
        #expect(throws: StoreError.self) { try form.existingObject(with: person.objectID, as: Other.self) }
    }

    private final class Other: ManagedObject {}

    @Test("A list and its detail see one state")
    func generations() throws {
        let (list, detail, other) = (container.newContext(), container.newContext(), container.newContext())
        Person(context: other).name = "Ann"
        try other.save()
        let request = ObjectFetchRequest<Person>()
        try list.setQueryGenerationFrom(.current)
        let rows = try list.fetch(request)  // The state of this moment, from now on.
        try detail.setQueryGenerationFrom(list.queryGenerationToken)  // Another context that sees the same.
        Person(context: other).name = "Bob"
        try other.save()
        #expect(rows.count == 1)
        #expect(try [list, detail].map { try $0.count(for: request) } == [1, 1])
        list.reset()
        #expect(try [list, detail].map { try $0.count(for: request) } == [2, 1])
    }

    @Test("What another coordinator saves comes into the view") @MainActor
    func others() async throws {
        let directory = try TemporaryDirectory()
        let (path, model) = (directory.path + "/people.sqlite", container.coordinator.model)
        var description = StoreDescription(.sqlite, path: path)
        description.options.postsRemoteChanges = true
        let container = try PersistentContainer(model: model, stores: [description])
        container.viewContext.automaticallyMergesChangesFromParent = true
        let person = Person(context: container.viewContext)
        person.name = "Ann"
        try container.viewContext.save()
        let other = try PersistentContainer(model: model, stores: [StoreDescription(.sqlite, path: path)]).newContext()
        let same = try #require(try other.fetch(ObjectFetchRequest<Person>()).first)
        same.name = "Bob"
        try other.save()
        let end = ContinuousClock.now + waitLimit
        while person.name != "Bob" && ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(person.name == "Bob")
    }
}
