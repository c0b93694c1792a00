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
    static let subjects = ToMany<Subject>("subjects")
}

private final class Subject: ManagedObject { static let name = Key<String>("name") }

@Suite("Imports by typed keys")
struct ImportingTests {
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

    private static func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Author", class: Author.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "author", .toMany)
                Unique("name")
            }
            Entity("Book", class: Book.self) {
                Attribute("title", .string)
                Relationship("author", to: "Author", inverse: "books")
                Relationship("subjects", to: "Subject", inverse: "books", .toMany)
            }
            Entity("Subject", class: Subject.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "subjects", .toMany)
                Unique("name")
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

    struct Line {
        let title: String
        let author: String
        let subjects: [String]
    }

    func run(_ lines: some Sequence<Line>, _ context: ManagedObjectContext) throws {
        var source = lines.makeIterator()
        var authors = BatchInsertRequest(entityName: "Author") { (row: inout BatchRow) in
            guard let line = source.next() else { return true }  // no more
            row[Author.name] = line.author
            return false
        }
        authors.mergePolicy = .mergeByPropertyStoreTrump
        try context.execute(authors)

        source = lines.makeIterator()
        let books = BatchInsertRequest(entityName: "Book") { (row: inout BatchRow) in
            guard let line = source.next() else { return true }
            row[Book.title] = line.title
            row[Book.author.appending(Author.name)] = line.author
            row[Book.subjects, by: Subject.name] = line.subjects
            return false
        }
        try context.execute(books)
    }

    @Test("Batches relate their objects by keys")
    func batches() throws {
        let context = try Self.context()
        let subjects = ["love", "money", "war"]
        try context.execute(BatchInsertRequest(entityName: "Subject", objects: subjects.map { ["name": .string($0)] }))
        let lines = (0..<6_000).lazy.map { Line(title: "Book \($0)", author: "Author \($0 % 40)", subjects: [subjects[$0 % 3]]) }
        try run(lines, context)
        let authors = try context.fetch(ObjectFetchRequest<Author>())
        #expect(authors.count == 40)
        for author in authors { #expect(author[Author.books].count == 150) }
        let books = try context.fetch(ObjectFetchRequest<Book>())
        #expect(books.count == 6_000)
        for book in books { #expect(book[Book.subjects].count == 1) }
    }

    @Test("A row has what its relationships were given, by ID or by key")
    func rows() throws {
        let context = try Self.context()
        let author = Author(context: context)
        let subject = Subject(context: context)
        (author[Author.name], subject[Subject.name]) = ("Austen", "love")
        try context.save()
        var count = 0
        let request = BatchInsertRequest(entityName: "Book") { (row: inout BatchRow) in
            count += 1
            if count > 2 { return true }
            if count == 1 {
                row[Book.author] = author.objectID
                row[Book.subjects, by: Subject.name] = []
                row[Book.subjects, by: Subject.name] = ["love"]
                #expect(row[Book.author] == author.objectID)
                #expect(row[Book.subjects, by: Subject.name] == ["love"])
            } else {
                row[Book.author.appending(Author.name)] = nil
                row[Book.subjects] = [subject.objectID]
                #expect(row[Book.author] == nil)
                #expect(row[Book.subjects] == [subject.objectID])
                #expect(row[Book.subjects, by: Subject.name].isEmpty)
            }
            return false
        }
        try context.execute(request)
        context.refreshAllObjects()
        #expect(author[Author.books].count == 1)
        let books = try context.fetch(ObjectFetchRequest<Book>())
        #expect(books.map { $0[Book.subjects].count } == [1, 1])
    }
}
