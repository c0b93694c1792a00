import Foundation
import Strata
import StrataInMemory
import StrataTestModels
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

// What the guide prints is compiled, and run, by the tests of its page.
@Suite("Imports by typed keys")
struct ImportingTests {
    private static func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Author", class: Author.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "author", .toMany)
                Unique("name")
            }
            Entity("Book", class: Book.self) {
                Attribute("title", .string)
                Relationships(["author": .toOne("Author.books"), "subjects": .toMany("Subject.books")])
            }
            Entity("Subject", class: Subject.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "subjects", .toMany)
                Unique("name")
            }
        }
        return ManagedObjectContext(try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator)
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
