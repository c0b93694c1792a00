import Foundation
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

private final class Author: ManagedObject {
    static let name = Key<String>("name")
    static let books = ToMany<Book>("books")
}

private final class Book: ManagedObject {
    static let title = Key<String>("title")
    static let author = ToOne<Author>("author")
}

@Suite("The guide to importing")
struct ImportingGuideTests {
    struct Importer {
        let context: ManagedObjectContext
        private var saved: [String: ObjectID] = [:]
        private var new: [String: Author] = [:]

        init(_ context: ManagedObjectContext) { self.context = context }

        mutating func run(_ lines: some Sequence<(title: String, author: String)>) throws {
            for (count, line) in lines.enumerated() {
                let book = Book(context: context)
                book[Book.title] = line.title
                book[Book.author] = author(named: line.author)
                if count % 5_000 == 4_999 { try save() }
            }
            try save()
        }

        private mutating func author(named name: String) -> Author {
            if let author = new[name] { return author }
            if let id = saved[name], let author = context.object(with: id) as? Author { return author }
            let author = Author(context: context)
            author[Author.name] = name
            new[name] = author
            return author
        }

        private mutating func save() throws {
            try context.save()
            for (name, author) in new { saved[name] = author.objectID }
            new = [:]
            context.reset()
        }
    }

    @Test("Its examples are the code below")
    func text() throws {
        let examples = try PageExamples(onPage: "Sources/Strata/Documentation.docc/Guides/Importing.md").all
        #expect(examples.count == 2)
        let missing = try PageExamples.lines(of: examples, missingIn: #filePath)
        #expect(missing.isEmpty)
    }

    private static func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Author", class: Author.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "author", .toMany)
            }
            Entity("Book", class: Book.self) {
                Attribute("title", .string)
                Relationship("author", to: "Author", inverse: "books")
            }
        }
        return ManagedObjectContext(try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator)
    }

    @Test("An import that saves and resets in between keeps no object, and relates across its saves")
    func related() throws {
        let context = try Self.context()
        var importer = Importer(context)
        try importer.run((0..<12_000).lazy.map { (title: "Book \($0)", author: "Author \($0 % 40)") })
        #expect(context.registeredObjects.isEmpty)
        let books = try context.count(for: ObjectFetchRequest<Book>())
        #expect(books == 12_000)
        let authors = try context.fetch(ObjectFetchRequest<Author>())
        #expect(authors.count == 40)
        for author in authors { #expect(author[Author.books].count == 300) }
    }

    @Test("Objects without relationships come in by a batch")
    func batch() throws {
        let context = try Self.context()
        let lines = (0..<1_000).lazy.map { (title: "Book \($0)", author: "Author \($0)") }
        var source = lines.makeIterator()
        let request = BatchInsertRequest(entityName: "Author") { (row: inout BatchRow) in
            guard let line = source.next() else { return true }  // no more
            row[Author.name] = line.author
            return false
        }
        try context.execute(request)
        let authors = try context.count(for: ObjectFetchRequest<Author>())
        #expect(authors == 1_000)
    }
}
