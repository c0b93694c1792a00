#if Macros
    import Foundation
    import Strata
    import StrataInMemory
    import StrataTestSupport
    import Testing

    @MainActor @Suite("The guide to importing")
    struct ImportingGuideTests {
        @Model final class Author: ManagedObject {
            @Attribute(.unique) var name: String = ""
            @Relationship(inverse: \Book.author) var books: Set<Book> = []
        }

        @Model final class Book: ManagedObject {
            var title: String = ""
            var author: Author?
            @Relationship(inverse: \Subject.books) var subjects: Set<Subject> = []
        }

        @Model final class Subject: ManagedObject {
            @Attribute(.unique) var name: String = ""
            var books: Set<Book> = []
        }

        struct Importer {
            let context: ManagedObjectContext
            private var saved: [String: ObjectID] = [:]
            private var new: [String: Author] = [:]

            init(_ context: ManagedObjectContext) { self.context = context }

            mutating func run(_ lines: some Sequence<(title: String, author: String)>) throws {
                for (count, line) in lines.enumerated() {
                    let book = Book(context: context)
                    book.title = line.title
                    book.author = author(named: line.author)
                    if count % 5_000 == 4_999 { try save() }
                }
                try save()
            }

            private mutating func author(named name: String) -> Author {
                if let author = new[name] { return author }
                if let id = saved[name], let author = context.object(with: id) as? Author { return author }
                let author = Author(context: context)
                author.name = name
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

        @Test("Its examples are the code of this file")
        func text() throws {
            #expect(try PageExamples.ofGuide("Importing") == (2, []))
        }

        private static func context() throws -> ManagedObjectContext {
            try PersistentContainer(for: Book.self, stores: [StoreDescription(.inMemory)]).newContext()
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
            for author in authors { #expect(author.books.count == 300) }
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
            for author in authors { #expect(author.books.count == 150) }
            let books = try context.fetch(ObjectFetchRequest<Book>())
            #expect(books.count == 6_000)
            for book in books { #expect(book.subjects.count == 1) }
        }
    }
#endif
