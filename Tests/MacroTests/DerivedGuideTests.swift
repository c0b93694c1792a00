#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    @Model final class Shelf: ManagedObject {
        var name: String
        @Attribute(.derived("books.@count")) var bookCount: Int = 0
        @Attribute(.derived("books.pages.@sum")) var pageSum: Int = 0
        @Relationship(inverse: \Book.shelf) var books: [Book] = []

        init(name: String) { self.name = name }
    }

    @Model final class Book: ManagedObject {
        #Index<Book>([\.folded])

        var title: String
        var pages: Int = 0
        @Attribute(.derived("canonical:(title)")) var folded: String?
        @Attribute(.derived("shelf.name")) var place: String?
        @Attribute(.derived("now()")) var savedAt: Date?
        var shelf: Shelf?

        init(title: String) { self.title = title }
    }

    @Suite("Derived properties of Swift classes")
    struct DerivedGuideTests {
        @Test("What the guide shows is code of this test")
        func guide() throws {
            #expect(try PageExamples.ofGuide("DerivedAttributes") == (3, []))
        }

        @Test("Derived properties have their values after the save", arguments: [TestStore.inMemory, .sqlite])
        func values(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: Shelf.self, Book.self, stores: [store.description(in: directory.path)])
            let context = ManagedObjectContext(container.coordinator)
            let shelf = Shelf(name: "Left")
            let book = Book(title: "Élégie")
            book.pages = 48
            shelf.books = [book]
            context.insert(shelf)
            #expect(book.folded == nil)
            #expect(shelf.bookCount == 0)
            try context.save()
            #expect(book.folded == "elegie")
            #expect(book.place == "Left")
            #expect(shelf.bookCount == 1)
            #expect(shelf.pageSum == 48)
            #expect(abs(try #require(book.savedAt).timeIntervalSinceNow) < 600)
            let found = try context.fetch(ObjectFetchRequest<Book>(\Book.folded == "elegie" && \Book.place == "Left"))
            #expect(found == [book])
            let full = try context.fetch(ObjectFetchRequest<Shelf>(\Shelf.bookCount > 0))
            #expect(full == [shelf])
        }

        @Test("Models declare derived attributes, and none that no store keeps")
        func declared() throws {
            let model = try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    Attribute("friendCount", .integer32).derived("friends.@count")
                    Relationship("friends", to: "Person", inverse: "friends", .toMany)
                }
            }
            #expect(model.entity(named: "Person")?.derivedAttributes.map(\.name) == ["friendCount"])
            #expect(throws: ModelError.self) {
                try ManagedObjectModel {
                    Entity("Person") { Attribute("shown", .string).transient.derived("name") }
                }
            }
        }
    }
#endif
