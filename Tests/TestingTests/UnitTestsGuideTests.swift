import Strata
import StrataTestSupport
import StrataTesting
import Testing

@Suite("The guide to unit tests", .timeLimit(.minutes(60)))
struct UnitTestsGuideTests {
    final class Book: ManagedObject {
        static let title = Key<String>("title")
        static let shelf = ToOne<Shelf>("shelf")

        var title: String? {
            get { self[Self.title] }
            set { self[Self.title] = newValue }
        }
    }

    final class Shelf: ManagedObject {
        static let books = ToMany<Book>("books")

        func add(_ title: String) {
            guard let context = managedObjectContext else { return }
            let book = Book(context: context)
            book.title = title
            book[Book.shelf] = self
        }
    }

    static let made = Result {
        try ManagedObjectModel {
            Entity("Book", class: Book.self) {
                Attribute(Book.title, .string, validation: [.length(1...100)]).required
                Relationship(Book.shelf, to: "Shelf", inverse: "books")
            }
            Entity("Shelf", class: Shelf.self) { Relationship(Shelf.books, to: "Book", inverse: "shelf") }
        }
    }
    static var model: ManagedObjectModel { get throws { try made.get() } }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("UnitTests") == (8, []))
    }

    @Test func addingABook() throws {
        let context = try PersistentContainer(inMemory: Self.model).newContext()
        let shelf = Shelf(context: context)
        shelf.add("Emma")
        #expect(try context.save().inserted.count == 2)
        #expect(try context.count(Book.self, where: Book.title == "Emma") == 1)
    }

    @Test func fixtures() throws {
        let container = try PersistentContainer(inMemory: Self.model, fixtures: .file("Fixtures/library.json"))
        let titles = try container.newContext().fetch(Book.self, sort: [Book.title.ascending]).map(\.title)
        #expect(titles == ["Emma", "Persuasion"])
    }

    @Test func oneFetch() throws {
        let container = try PersistentContainer(inMemory: Self.model, fixtures: .file("Fixtures/library.json"))
        let context = container.newContext()
        let fetches = try container.fetches { for book in try context.fetch(Book.self) { _ = book.title } }
        #expect(fetches == ["fetch Book"])
    }

    @Test func graph() throws {
        let container = try PersistentContainer(inMemory: Self.model, fixtures: .json(#"{"Book": [{"title": "Emma"}]}"#))
        let text = try container.newContext().graphText()
        #expect(text == "Book 1\n  title: \"Emma\"\n")
        try GoldenFile("Fixtures/emma.txt").check(text)
    }

    @Test func versions() throws {
        try GoldenFile("Fixtures/Library 1.json").check(Self.model)
    }

    @Test func titles() throws {
        let context = try PersistentContainer(inMemory: Self.model).newContext()
        let book = Book(context: context)
        try book.validateValue("Emma", forKey: "title")
        let error = #expect(throws: ValidationError.self) { try book.validateValue("", forKey: "title") }
        #expect(error?.failures.first?.key == "title")
    }

    @Test func policies() throws {
        let book = try #require(Self.model.entity(named: "Book"))
        let policy = MergePolicy.byProperty(["title": .mergeByPropertyStoreTrump], otherwise: .mergeByPropertyObjectTrump)
        var conflict = MergeConflict(.changed, entity: book, objectID: nil, otherID: nil, values: ["title": "mine"])
        (conflict.base, conflict.stored) = (["title": "old"], ["title": "theirs"])
        #expect(try policy.resolve(conflict) == .values([:]))
    }

    @Test func imports() async throws {
        let container = try PersistentContainer(inMemory: Self.model, fixtures: .file("Fixtures/library.json"))
        try await container.performBackgroundTask { context in
            Book(context: context).title = "Sanditon"
            try context.save()
        }
        let titles = try await container.performBackgroundTask { context in
            try context.snapshots(of: ObjectFetchRequest<Book>(sort: [Book.title.ascending])).map { $0.title ?? "" }
        }
        #expect(titles == ["Emma", "Persuasion", "Sanditon"])
    }
}
