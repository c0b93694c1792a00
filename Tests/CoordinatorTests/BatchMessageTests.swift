import Foundation
import Strata
import StrataInMemory
import StrataModel
import StrataTestModels
import StrataTestSupport
import Testing

/// Each message of a batch request that is refused.
@Suite("Messages of batch requests")
struct BatchMessageTests {
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string).required
                Attributes(["pages": .integer16, "cost": .double, "cover": .binary])
                Attribute("note", .string).transient
                Attribute("key", .string).with { $0.derivationExpression = "uppercase:(name)" }
                Attribute("size", .composite).with { $0.elements = [Attribute("width", .double), Attribute("height", .double)] }
                Relationships([
                    "author": .toOne("Author.books"), "subjects": .toMany("Subject.books"), "sequel": .toOne("Book.prequel"),
                    "prequel": .toOne("Book.sequel"), "editions": .toMany("Book.original"), "original": .toOne("Book.editions"),
                    "covers": .toMany("Cover"), "shops": .toMany("Shop.stock"),
                ])
                Relationship("reader", to: "Author").with { $0.isTransient = true }
            }
            Entity("Author", attributes: ["name": .string], relationships: ["books": .toMany("Book.author")])
            Entity("Subject", attributes: ["name": .string], relationships: ["books": .toMany("Book.subjects")])
            Entity("Shop") { Relationship("stock", to: "Book", inverse: "shops", .ordered) }
            Entity("Cover")
        }
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.inMemory))
        _ = try coordinator.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "Emma", "pages": 400]]))
        _ = try coordinator.execute(BatchInsertRequest(entityName: "Subject", objects: [["name": "love"], ["name": "love"]]))
    }

    @Test(
        "An update that does not fit the model is refused with the reason",
        arguments: [
            ("nmae", QueryExpression.constant("x"), "there is no such property"),
            (
                "size", .constant(1),
                "of a composite attribute a batch update sets the elements, size.width, size.height, or all of it to nil"
            ),
            ("pages", .constant("x"), "\"x\" is no integer16"), ("name", .constant(.null), "a value is required"),
            ("name", .keyPath("cost"), "a value is required, and nil was computed for the object with reference 1"),
            ("pages", .keyPath("name"), "\"Emma\", computed for the object with reference 1, is no integer16"),
            ("pages", .keyPath("author"), "an attribute holds no object"),
            ("key", .constant("x"), "the attribute is derived: its store computes the value"),
            ("note", .constant("x"), "the attribute is transient: no store holds it"),
            ("subjects", .constant(.null), "a batch update sets attributes and to-one relationships only"),
            ("sequel", .constant(.null), "the inverse is to one too: setting many objects would break it"),
            ("author", .constant("Austen"), "a relationship takes the ID of an object, or nil"),
        ])
    func updates(_ name: String, _ value: QueryExpression, _ message: String) {
        #expect(messageOfError { _ = try coordinator.execute(BatchUpdateRequest(entityName: "Book", set: [name: value])) } == message)
    }

    @Test("An update that sets a relationship to an object of another entity is refused with the object")
    func updateOfOtherEntity() throws {
        let id = try otherID()
        let message = messageOfError {
            _ = try coordinator.execute(BatchUpdateRequest(entityName: "Book", set: ["author": .constant(.objectID(id))]))
        }
        #expect(message == "\(id) is no object that was saved of Author")
    }

    private func otherID() throws -> ObjectID {
        var request = BatchInsertRequest(entityName: "Cover", objects: [[:]])
        request.resultType = .objectIDs
        return try #require(try coordinator.execute(request).objectIDs.first)
    }

    @Test(
        "An insertion that does not fit the model is refused with the reason",
        arguments: [
            (["nmae": "x"], "there is no such property"),
            (["size": 1], "of a composite attribute the elements are set, size.width, size.height, or all of it to nil"),
            (["note": "x"], "the attribute is transient: no store holds it"), (["pages": 40_000], "40000 is no integer16"),
            (["key": "x"], "the attribute is derived: its store computes the value"),
            ([:], "a value is required"), (["name": "x", "author.nmae": "Austen"], "Author has no attribute nmae that stores hold"),
            (["name": "x", "author.name": "Austen"], "there is no Author with \"Austen\""),
            (["name": "x", "subjects.name": .list(["love"])], "there are several Subject with \"love\""),
            (["name": "x", "subjects.name": "love"], "a to-many relationship takes a list"),
            (["name": "x", "author": "Austen"], "\"Austen\" is no ID of an object that was saved of Author"),
            (["name": "x", "sequel.name": "y"], "the inverse is to one too: its objects would have to be changed with these"),
            (
                ["name": "x", "editions.name": .list(["y"])],
                "the relationship is stored in its destinations as Book.original: these would have to be changed"
            ),
            (
                ["name": "x", "covers": .list([])],
                "the relationship is stored in its destinations and it has no inverse: these would have to be changed"
            ),
            (["name": "x", "shops": .list([])], "the inverse is ordered: its objects would have to be changed with these"),
            (["name": "x", "reader": .null], "the relationship is transient: no store holds it"),
            (["name": "x", "author": .null, "author.name": .null], "the relationship is given by another name too"),
        ] as [([String: Value], String)])
    func insertions(_ object: [String: Value], _ message: String) {
        #expect(messageOfError { _ = try coordinator.execute(BatchInsertRequest(entityName: "Book", objects: [object])) } == message)
    }

    @Test("An insertion of more than a row holds is refused with the reason")
    func size() throws {
        let vast = Value.data(try .reserved(1 << 31))
        let message = messageOfError {
            _ = try coordinator.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "x", "cover": vast]]))
        }
        #expect(message == "the values of one object exceed 2 GiB")
    }

    @Test("A request about objects of another store, or of none, is refused with the reason")
    func stores() throws {
        let other = PersistentStoreCoordinator(model: coordinator.model)
        let book = BatchInsertRequest(entityName: "Book", objects: [["name": "x"]])
        #expect(messageOfError { _ = try other.execute(book) } == "no open store holds the entity")
        #expect(
            messageOfError { _ = try other.execute(BatchUpdateRequest(entityName: "Book", set: ["name": .constant("x")])) }
                == "no open store holds the entity")
        try other.addStore(StoreDescription(.inMemory))
        var request = BatchInsertRequest(entityName: "Author", objects: [[:]])
        request.resultType = .objectIDs
        let id = try #require(try other.execute(request).objectIDs.first)
        #expect(
            messageOfError {
                _ = try coordinator.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "x", "author": .objectID(id)]]))
            } == "\(id) is in another store than the new objects")
        #expect(
            messageOfError {
                _ = try coordinator.execute(BatchUpdateRequest(entityName: "Book", set: ["author": .constant(.objectID(id))]))
            }
                == "\(id) is in another store than objects to be changed")
        #expect(
            messageOfError { _ = try coordinator.execute(BatchDeleteRequest(fetchRequest: ObjectFetchRequest<Unmodelled>())) }
                == "no entity, or more than one, names the class of the objects")
        #expect(
            messageOfError { _ = try coordinator.execute(BatchInsertRequest(entityName: "Nobody", objects: [[:]])) }
                == "the model has no entity Nobody")
    }
}

private final class Unmodelled: ManagedObject {}
