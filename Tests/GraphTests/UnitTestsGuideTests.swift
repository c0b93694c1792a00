import Strata
import StrataInMemory
import StrataTestSupport
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

    static func container() throws -> PersistentContainer {
        try PersistentContainer(name: "test", model: model, stores: [StoreDescription(.inMemory)])
    }

    static func fixture() throws -> PersistentContainer {
        let container = try container()
        let context = container.newContext()
        for title in ["Emma", "Persuasion"] { Book(context: context).title = title }
        try context.save()
        return container
    }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("UnitTests") == (7, []))
    }

    @Test func addingABook() throws {
        let context = try Self.container().newContext()
        let shelf = Shelf(context: context)
        shelf.add("Emma")
        let saved = try context.save()
        #expect(saved.inserted.count == 2)
        #expect(try context.count(Book.self, where: Book.title == "Emma") == 1)
    }

    @Test func fixtures() throws {
        let context = try Self.fixture().newContext()
        #expect(try context.fetch(Book.self, sort: [Book.title.ascending]).map(\.title) == ["Emma", "Persuasion"])
    }

    @Test func titles() throws {
        let context = try Self.container().newContext()
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
        let container = try Self.fixture()
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
