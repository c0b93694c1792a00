#if Macros
    import Foundation
    import Strata
    import StrataSQLite

    /// The code of the guides for users of GRDB, SwiftData and Core Data: the same program, a library of books.
    enum ComingFromPages {
        @Model final class Author: ManagedObject {
            #Unique<Author>([\.name])

            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
            init(name: String) { self.name = name }
        }

        @Model final class Book: ManagedObject {
            var title: String
            var year: Int?
            var author: Author?
            init(title: String, year: Int?) { (self.title, self.year) = (title, year) }
        }

        static func open() throws -> PersistentContainer {
            let container = try PersistentContainer(for: Author.self, stores: [StoreDescription(.sqlite, path: "library.sqlite")])
            return container
        }

        static func write(_ container: PersistentContainer) async throws {
            try await container.performBackgroundTask { context in
                let mary = Author(name: "Mary Shelley")
                mary.books = [Book(title: "Frankenstein", year: 1818), Book(title: "The Last Man", year: 1826)]
                context.insert(mary)
                try context.save()
            }
        }

        static func change(_ context: ManagedObjectContext) throws -> [String] {
            let early = try context.fetch(
                Book.self, where: Book.year < 1820 && Book.author.appending(Author.name) == "Mary Shelley", sort: [Book.title.ascending])
            for book in early { print(book.title, book.author?.name ?? "") }
            early.first?.year = 1831
            try context.save()
            return early.map(\.title)
        }

        static func counts(_ context: ManagedObjectContext) throws -> [FetchedDictionary] {
            let counts = try context.fetchDictionaries(
                ObjectFetchRequest<Book>().grouped(by: ["author.name"], computing: [.count()]))
            return counts
        }

        @MainActor static func observe(_ context: ManagedObjectContext) async throws -> [String] {
            var shown: [String] = []
            for try await books in context.observe(ObjectFetchRequest<Book>(sort: [Book.title.ascending])) {
                shown = books.map(\.title)
                if shown.count == 2 { break }
            }
            return shown
        }

        static func macro(_ context: ManagedObjectContext) throws -> [Book] {
            let request = try ObjectFetchRequest(
                #Predicate<Book> { $0.title.starts(with: "F") && ($0.year ?? 0) < 1900 }, sort: [Book.title.ascending], limit: 20)
            let found = try context.fetch(request)
            return found
        }

        static func format(_ context: ManagedObjectContext) throws -> [Book] {
            var request = ObjectFetchRequest<Book>(try QueryPredicate(format: "year < %d AND author.name == %@", 1900, "Mary Shelley"))
            request.sortDescriptors = [QuerySort("title", ascending: true)]
            request.fetchLimit = 20
            let found = try context.fetch(request)
            return found
        }

        @MainActor static func controller(_ context: ManagedObjectContext) throws -> FetchedResultsController<Book> {
            let controller = FetchedResultsController(
                ObjectFetchRequest<Book>(sort: [Book.title.ascending]), context: context, sectionNameKeyPath: "author.name")
            controller.onChange = { changes in print(changes.snapshot.objectIDs.count) }
            try controller.performFetch()
            return controller
        }

        actor Catalogue {
            private let context: ManagedObjectContext

            init(_ container: PersistentContainer) {
                context = container.newContext()
            }

            func add(_ title: String, year: Int?) throws -> ObjectID {
                let book = Book(title: title, year: year)
                context.insert(book)
                try context.save()
                return book.objectID
            }
        }
    }
#endif
