#if Macros
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
            "Fixtures that do not fit the model are an error that names the object, its line and the property",
            arguments: [
                (#"{"Lamp": {}}"#, "the model has no entity Lamp"),
                ("1", "the fixtures: no object of JSON"),
                (#"{"Shelf": 1}"#, "Shelf, line 1: neither an array nor an object"),
                (#"{"Shelf": {"a": 1}}"#, "Shelf a, line 1: no object of JSON"),
                (#"{"Shelf": [{"size": 1}]}"#, "Shelf 1, line 1: Shelf has no property size"),
                (
                    "{\"Book\": {\n\"a\": {},\n\n\"b\": {\n\"pages\": \"many\"}}}",
                    "Book b, line 4: pages is integer64, and does not take \"many\""
                ),
                (#"{"Book": {"a": {"key": "C56A"}}}"#, "Book a, line 1: key is uuid, and does not take \"C56A\""),
                (#"{"Book": {"a": {"price": "1.2.3"}}}"#, "Book a, line 1: price is decimal, and does not take \"1.2.3\""),
                (#"{"Book": {"a": {"printed": "soon"}}}"#, "Book a, line 1: printed is date, and does not take \"soon\""),
                (#"{"Book": {"a": {"pages": [1]}}}"#, "Book a, line 1: pages is integer64, and does not take [1]"),
                (#"{"Book": {"a": {"shelf": "none"}}}"#, "Book a, line 1: shelf names none, which the fixtures have not"),
                (#"{"Book": {"a": {"shelf": ["b"]}}}"#, "Book a, line 1: shelf takes the name of an object, not [\"b\"]"),
                (#"{"Shelf": {"a": {"books": "b"}}}"#, "Shelf a, line 1: books takes an array of names, not \"b\""),
                ("{\"Book\": {\"a\": {}},\n\"Shelf\": {\"a\": {}}}", "Shelf a, line 2: another object of the fixtures has the name"),
                ("{\"Book\": {\"a\": {},\n\"b\": {}, \"a\": {}}}", "the fixtures, line 2: a is there twice"),
                (#"{"Book": [{"title": "A", "title": "B"}]}"#, "the fixtures, line 1: title is there twice"),
            ])
        func errors(_ json: String, _ message: String) throws {
            let container = try PersistentContainer(inMemory: Shelf.self)
            let error = #expect(throws: FixtureError.self) { try Fixtures.json(json).insert(into: container.newContext()) }
            #expect(error?.description == message)
        }

        @Test(
            "Malformed JSON is an error with the line and the column",
            arguments: [
                ("", 1, 1), ("{", 1, 2), ("{\n  \"Book\": [{]}", 2, 13), ("{\"Book\": [{\"title\": \"A}]}", 1, 21),
                (#"{"Book": [{"title": "\x"}]}"#, 1, 21),
                (#"{"Book": [01]}"#, 1, 11), (#"{"Book": [1e999]}"#, 1, 11), ("{\"Book\": [],\n}", 2, 1), ("{}\n\n x", 3, 2),
                ("[1,]", 1, 4),
                ("nul", 1, 1), ("{'a': 1}", 1, 2), ("{\"a\" 1}", 1, 6), ("\"\\", 1, 1), (String(repeating: "[", count: 100_000), 1, 65),
            ])
        func malformed(_ json: String, _ line: Int, _ column: Int) throws {
            let container = try PersistentContainer(inMemory: Shelf.self)
            let error = #expect(throws: FixtureError.self) { try Fixtures.json(json).insert(into: container.newContext()) }
            #expect(error?.description == "the fixtures, line \(line): malformed JSON, column \(column)")
        }

        @Test("Names and texts may have escapes, and numbers all digits of decimals and integers")
        func values() throws {
            let container = try PersistentContainer(inMemory: Shelf.self)
            let context = container.newContext()
            let named = try Fixtures.json(
                """
                {"Book": {"\\u00e9\\"\\ud83d\\ude00": {"title": "a\\n\\t\\\\", "price": 12345678901234567890123456789012345.678,
                 "pages": 9223372036854775807, "printed": 0.5}},
                 "Shelf": {"s": {"name": "", "books": ["é\\"😀"]}}}
                """
            ).insert(into: context)
            let book = try #require(named["é\"😀"] as? Book)
            #expect(book.title == "a\n\t\\")
            #expect(book.price == Decimal(string: "12345678901234567890123456789012345.678"))
            #expect(book.pages == .max)
            #expect(book.printed == Date(timeIntervalSinceReferenceDate: 0.5))
            #expect(book.shelf === named["s"])
        }

        @Test("A destination of another entity, and a missing file, are errors")
        func destinations() throws {
            let container = try PersistentContainer(inMemory: Shelf.self)
            let fixtures = Fixtures.json(#"{"Book": {"a": {"shelf": "r"}}, "Reader": {"r": {"name": "Ada"}}}"#)
            let error = #expect(throws: FixtureError.self) { try fixtures.insert(into: container.newContext()) }
            #expect(error?.description.hasPrefix("Book a, line 1: ") == true)
            #expect(throws: FixtureError.self) { try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/none.json")) }
        }

        @Test("Fixtures that break a validation rule are not saved")
        func validation() throws {
            #expect(throws: ValidationError.self) {
                try PersistentContainer(inMemory: Shelf.self, fixtures: .json(#"{"Book": [{"pages": 1}]}"#))
            }
        }
    }
#endif
