import Foundation
import Strata
import StrataTesting
import Testing

@Suite("Fixtures from JSON in a store in memory", .timeLimit(.minutes(60)))
struct FixtureTests {
    @Test("A container has the objects of a file, with values of all types and relationships in both directions")
    func file() throws {
        let container = try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/shelves.json"))
        let context = container.newContext()
        let books = try context.fetch(Book.self, sort: [Book.title.ascending])
        let emma = try #require(books.first)
        #expect(books.map(\.title) == ["Emma", "Persuasion"])
        #expect(books.map(\.pages) == [474, 0])
        #expect(emma.price == Decimal(string: "12.5"))
        #expect(emma.printed == Date(timeIntervalSince1970: -4_860_604_800))
        #expect(emma.key == UUID(uuidString: "C56A4180-65AA-42EC-A945-5FD21DEC0538"))
        #expect(emma.readers.map(\.name) == ["Grace", "Ada"])
        #expect(Set(books.compactMap(\.shelf?.name)) == ["Novels"])
    }

    @Test("Objects of an array have no name, and names stand for the inserted objects")
    func names() throws {
        let container = try PersistentContainer(inMemory: Shelf.self)
        let context = container.newContext()
        let fixtures = Fixtures.json(#"{"Reader": [{"name": "Ada"}, {"name": "Grace"}], "Shelf": {"first": {"name": "A"}}}"#)
        let named = try fixtures.insert(into: context)
        #expect(named.keys.sorted() == ["first"])
        #expect((named["first"] as? Shelf)?.name == "A")
        #expect(try context.count(Reader.self) == 2)
    }

    @Test(
        "Fixtures that do not fit the model are an error that names the object and the property",
        arguments: [
            (#"{"#, "the fixtures is no object of JSON"),
            (#"{"Lamp": {}}"#, "the model has no entity Lamp"),
            (#"{"Shelf": 1}"#, "Shelf of the fixtures is neither an array nor an object"),
            (#"{"Shelf": {"a": 1}}"#, "Shelf a is no object of JSON"),
            (#"{"Shelf": [{"size": 1}]}"#, "Shelf 1: Shelf has no property size"),
            (#"{"Book": {"a": {"pages": "many"}}}"#, "Book a: pages is integer64, and does not take \"many\""),
            (#"{"Book": {"a": {"shelf": "none"}}}"#, "Book a: shelf names none, which the fixtures have not"),
            (#"{"Book": {"a": {"shelf": ["b"]}}}"#, "Book a: shelf takes the name of an object, not [\"b\"]"),
            (#"{"Shelf": {"a": {"books": "b"}}}"#, "Shelf a: books takes an array of names, not \"b\""),
            (#"{"Book": {"a": {}}, "Shelf": {"a": {}}}"#, "two objects of the fixtures are named a"),
        ])
    func errors(_ json: String, _ message: String) throws {
        let container = try PersistentContainer(inMemory: Shelf.self)
        let error = #expect(throws: FixtureError.self) { try Fixtures.json(json).insert(into: container.newContext()) }
        #expect(error?.description == message)
    }

    @Test("A destination of another entity, and a missing file, are errors")
    func destinations() throws {
        let container = try PersistentContainer(inMemory: Shelf.self)
        let fixtures = Fixtures.json(#"{"Book": {"a": {"shelf": "r"}}, "Reader": {"r": {"name": "Ada"}}}"#)
        let error = #expect(throws: FixtureError.self) { try fixtures.insert(into: container.newContext()) }
        #expect(error?.description.hasPrefix("Book a: ") == true)
        #expect(throws: FixtureError.self) { try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/none.json")) }
    }

    @Test("Fixtures that break a validation rule are not saved")
    func validation() throws {
        #expect(throws: ValidationError.self) {
            try PersistentContainer(inMemory: Shelf.self, fixtures: .json(#"{"Book": [{"pages": 1}]}"#))
        }
    }
}
