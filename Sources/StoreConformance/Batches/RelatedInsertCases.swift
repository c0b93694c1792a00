import Strata
import StrataTestModels

/// Batch inserts that set relationships: by the IDs of objects, and by the values that these have.
enum RelatedInsertCases {
    /// Shelves with books, in an order and without one, of authors who are found by their names, with subjects.
    private static let library = ModelResult.declared {
        Entity("Person") { Attribute("name", .string) }
        Entity("Author", parent: "Person") {
            Relationship("books", to: "Book", inverse: "author", .toMany)
            Unique("name")
        }
        Entity("Book") {
            Attribute("name", .string)
            Attribute("pages", .integer32, default: 1)
            Relationships([
                "author": .toOne("Author.books"), "editor": .toOne("Person"), "series": .toOne("Series.volumes"),
                "subjects": .toMany("Subject.books"), "cities": .ordered("City.books"), "sequel": .toOne("Book.prequel"),
                "prequel": .toOne("Book.sequel"), "original": .toOne("Book.editions"), "editions": .toMany("Book.original"),
                "similar": .toMany("Book.similar"), "shops": .toMany("Shop.stock"),
            ])
            Unique("name")
        }
        Entity("Series", attributes: ["name": .string], relationships: ["volumes": .ordered("Book.series")])
        Entity("Subject", attributes: ["name": .string], relationships: ["books": .toMany("Book.subjects")])
        Entity("City", attributes: ["name": .string], relationships: ["books": .toMany("Book.cities")])
        Entity("Shop", attributes: ["name": .string], relationships: ["stock": .ordered("Book.shops")])
    }

    @discardableResult
    private static func insert(
        _ entity: String, _ objects: [[String: Value]], _ stack: ConformanceStack, _ policy: MergePolicy = .error
    ) throws -> [ObjectID] {
        var request = BatchInsertRequest(entityName: entity, objects: objects)
        request.resultType = .objectIDs
        request.mergePolicy = policy
        return try stack.coordinator.execute(request).objectIDs
    }

    /// A library with two authors, two subjects, two cities and a series.
    private static func filled(_ environment: ConformanceEnvironment, _ name: String = "store") throws -> ConformanceStack {
        let stack = try environment.stack(library, name)
        for (entity, names) in [
            ("Author", ["Austen", "Eliot"]), ("Subject", ["love", "money"]), ("City", ["Bath", "Rome"]), ("Series", ["classics"]),
        ] {
            try insert(entity, names.map { ["name": .string($0)] }, stack)
        }
        return stack
    }

    private static func texts(_ objects: some Sequence<ManagedObject>) throws -> [String] {
        try objects.map { try $0.text("name") ?? "nil" }
    }

    /// Checks that verifying the stores finds no problem.
    private static func verify(_ stack: ConformanceStack) throws {
        let problems = try stack.coordinator.stores.flatMap { try stack.coordinator.verify($0) }
        try expect(problems.isEmpty, "\(problems)")
    }

    /// Returns each stored book with its destinations; the stack is closed for it by default.
    private static func books(_ stack: ConformanceStack, closes: Bool = true) throws -> [String] {
        try verify(stack)
        return try (closes ? stack.reopened() : stack).context().all("Book", sort: [QuerySort("name")]).map { book in
            var line = try book.text("name") ?? "nil"
            for key in ["author", "editor", "series", "original"] {
                if let one = try book.one(key) { line += " \(key):\(try one.text("name") ?? "nil")" }
            }
            for key in ["subjects", "similar", "editions"] {
                let names = try texts(book.many(key)).sorted()
                if !names.isEmpty { line += " \(key):\(names.joined(separator: ","))" }
            }
            let cities = try texts(book.ordered("cities"))
            return cities.isEmpty ? line : line + " cities:\(cities.joined(separator: ","))"
        }
    }

    private static func refused(
        _ name: String, _ code: StoreError.Code, key: String, _ book: @escaping @Sendable (ConformanceStack) throws -> [String: Value]
    ) -> ConformanceCase {
        ConformanceCase(name, in: .batches) { environment in
            let stack = try filled(environment)
            let last = try book(stack)
            let error = try expectThrows(StoreError.self) { try insert("Book", [["name": "first"], last], stack) }
            try expectEqual(error.code, code, "\(error)")
            try expectEqual(error.key, key)
            try expectEqual(error.entity, "Book")
            try expectEqual(try books(stack), [])
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("New objects of a batch lead to others by their IDs", in: .batches) { environment in
            let stack = try filled(environment)
            let context = stack.context()
            func id(_ entity: String, _ name: String) throws -> Value { .objectID(try context.one(entity, name).objectID) }
            let book: [String: Value] = [
                "name": "Emma", "author": try id("Author", "Austen"), "editor": try id("Author", "Eliot"),
                "series": try id("Series", "classics"), "subjects": .list([try id("Subject", "money"), try id("Subject", "love")]),
                "cities": .list([try id("City", "Rome"), try id("City", "Bath")]), "original": .null,
            ]
            try insert("Book", [book, ["name": "none", "author": .null, "subjects": .list([])]], stack)
            try expectEqual(
                try books(stack),
                ["Emma author:Austen editor:Eliot series:classics subjects:love,money cities:Rome,Bath", "none"])
        }
        ConformanceCase("New objects of a batch lead to others by values that these have", in: .batches) { environment in
            let stack = try filled(environment)
            let names = (0..<2000).map { String($0) }
            try insert(
                "Book",
                names.map { name in
                    [
                        "name": .string(name), "author.name": name.hasSuffix("7") ? "Austen" : "Eliot", "series.name": "classics",
                        "subjects.name": .list(name.hasPrefix("4") ? ["love", "money", "love"] : ["love"]),
                        "cities.name": .list(["Rome", "Bath"]),
                    ]
                }, stack)
            let context = stack.context()
            try expectEqual(try context.one("Author", "Austen").many("books").count, 200)
            try expectEqual(try context.one("Subject", "love").many("books").count, 2000)
            try expectEqual(try context.one("Subject", "money").many("books").count, 111)
            // In the order of the source.
            try expectEqual(try texts(context.one("Series", "classics").ordered("volumes")), names)
            try expectEqual(try texts(context.one("Book", "12").ordered("cities")), ["Rome", "Bath"])
            try insert("Book", [["name": "last", "series.name": "classics"]], stack)
            try expectEqual(try texts(stack.context().one("Series", "classics").ordered("volumes")).last, "last")
            try verify(stack)
            try expectEqual(try stack.reopened().context().one("Author", "Austen").many("books").count, 200)
        }
        ConformanceCase("New objects of a batch lead to those before them in the request", in: .batches) { environment in
            let stack = try filled(environment)
            // A chain, a star, and pairs: some in the same chunk of rows, some in earlier ones.
            let objects = (0..<3000).map { number -> [String: Value] in
                var book: [String: Value] = ["name": .string("\(number)")]
                if number > 0 && number % 500 < 20 { book["original.name"] = .string("\(number - 1)") }
                if number > 2500 { book["similar.name"] = .list([.string("\(number - 2500)"), "0"]) }
                return book
            }
            try insert("Book", objects, stack)
            let context = stack.context()
            try expectEqual(try context.one("Book", "2019").one("original")?.text("name"), "2018")
            try expectEqual(try texts(context.one("Book", "2000").many("editions")), ["2001"])
            try expectEqual(try context.one("Book", "0").many("similar").count, 499)
            try expectEqual(try texts(context.one("Book", "100").many("similar")), ["2600"])
            try verify(stack)
            try expectEqual(try stack.reopened().context().one("Book", "0").many("similar").count, 499)
        }
        ConformanceCase("An upsert sets the relationships that it gives, under the policies that take what is given", in: .batches) {
            environment in
            for (policy, expected) in [
                (MergePolicy.mergeByPropertyStoreTrump, "a author:Austen series:classics subjects:love cities:Bath"),
                (.mergeByPropertyObjectTrump, "a author:Eliot series:classics subjects:money cities:Rome,Bath"),
                (.overwrite, "a author:Eliot series:classics subjects:money cities:Rome,Bath"),
            ] {
                let stack = try filled(environment, policy.name)
                let old: [String: Value] = [
                    "name": "a", "author.name": "Austen", "series.name": "classics", "subjects.name": .list(["love"]),
                    "cities.name": .list(["Bath"]),
                ]
                try insert("Book", [old, ["name": "b", "series.name": "classics"]], stack)
                let new: [String: Value] = [
                    "name": "a", "author.name": "Eliot", "subjects.name": .list(["money"]), "cities.name": .list(["Rome", "Bath"]),
                    "series.name": "classics",
                ]
                try insert("Book", [["name": "c", "series.name": "classics"], new], stack, policy)
                // Who stays a member keeps the position.
                try expectEqual(try texts(stack.context().one("Series", "classics").ordered("volumes")), ["a", "b", "c"], policy.name)
                try expectEqual(try books(stack)[0], expected, policy.name)
            }
        }
        ConformanceCase("Of several objects of a batch that become one, the last says what it leads to", in: .batches) { environment in
            let stack = try filled(environment)
            let objects = ["love", "money", "love"].enumerated().map { index, subject -> [String: Value] in
                ["name": index < 2 ? "a" : "b", "author.name": index == 0 ? "Austen" : "Eliot", "subjects.name": .list([.string(subject)])]
            }
            try insert("Book", objects, stack, .overwrite)
            try expectEqual(try books(stack, closes: false), ["a author:Eliot subjects:money", "b author:Eliot subjects:love"])
            let similar: [(String, [Value])] = [("c", []), ("d", ["c"]), ("e", ["c"]), ("c", ["d"])]
            try insert("Book", similar.map { ["name": .string($0), "similar.name": .list($1)] }, stack, .overwrite)
            let context = stack.context()
            try expectEqual(try texts(context.one("Book", "c").many("similar")), ["d"])
            try expect(try context.one("Book", "e").many("similar").isEmpty, "the link is there at one end")
            try insert("Book", [["name": "a", "subjects.name": .list(["love"])], ["name": "a", "pages": 3]], stack, .overwrite)
            try expectEqual(
                try books(stack),
                ["a author:Eliot subjects:love", "b author:Eliot subjects:love", "c similar:d", "d similar:c", "e"])
        }
        ConformanceCase("A refused object of a batch leaves no link", in: .batches) { environment in
            let stack = try filled(environment)
            try insert("Book", [["name": "a"]], stack)
            let objects: [[String: Value]] = [
                ["name": "a", "subjects.name": .list(["love"])], ["name": "b", "subjects.name": .list(["money"]), "original.name": "a"],
            ]
            try expectThrows(BatchInsertError.self) { try insert("Book", objects, stack) }
            try expectEqual(try books(stack), ["a editions:b", "b original:a subjects:money"])
        }
        ConformanceCase("Contexts hear which objects a batch related to theirs", in: .batches) { environment in
            let stack = try filled(environment)
            let context = stack.context()
            let (author, love) = (try context.one("Author", "Austen"), try context.one("Subject", "love"))
            try expect(try author.many("books").isEmpty && love.many("books").isEmpty, "there are books")
            try context.execute(
                BatchInsertRequest(entityName: "Book", objects: [["name": "a", "author.name": "Austen", "subjects.name": .list(["love"])]]))
            try expectEqual(try texts(author.many("books")), ["a"])
            try expectEqual(try texts(love.many("books")), ["a"])
        }
        refused("A batch is refused whose object leads to none", .notFound, key: "author.name") { _ in
            ["name": "x", "author.name": "Brontë"]
        }
        refused("A batch is refused whose object may lead to several", .wrongValue, key: "subjects.name") { stack in
            try insert("Subject", [["name": "love"]], stack)
            return ["name": "x", "subjects.name": .list(["money", "love"])]
        }
        refused("A batch is refused whose object leads to a later one", .notFound, key: "original.name") { _ in
            ["name": "x", "original.name": "x"]
        }
        refused("A batch is refused whose object leads to one that is gone", .notFound, key: "author") { stack in
            let context = stack.context()
            let author = try context.one("Author", "Eliot")
            context.delete(author)
            try context.save()
            return ["name": "x", "author": .objectID(author.objectID)]
        }
        refused("A batch is refused whose object leads to one of another entity", .notFound, key: "author") { stack in
            ["name": "x", "author": .objectID(try insert("Person", [["name": "nobody"]], stack)[0])]
        }
        refused("A batch is refused whose object leads to no object", .wrongValue, key: "author") { _ in ["name": "x", "author": "Austen"] }
        refused("A batch is refused that gives a to-many relationship one object", .wrongValue, key: "subjects.name") { _ in
            ["name": "x", "subjects.name": "love"]
        }
        ConformanceCase("A batch is refused that gives a relationship by ID and by key", in: .batches) { environment in
            // Which one counted depended on the order of a dictionary.
            let stack = try filled(environment)
            let id = try stack.context().one("Author", "Eliot").objectID
            let error = try expectThrows(StoreError.self) {
                try insert("Book", [["name": "x", "author.name": "Austen", "author": .objectID(id)]], stack)
            }
            try expectEqual(error.code, .wrongValue)
            try expectEqual(try books(stack), [])
        }
        refused("A batch is refused that sets one end of a pair", .unsupported, key: "sequel.name") { _ in
            ["name": "x", "sequel.name": "y"]
        }
        refused("A batch is refused that sets what others hold", .unsupported, key: "editions.name") { _ in
            ["name": "x", "editions.name": .list(["y"])]
        }
        refused("A batch is refused that would put objects into an order of links", .unsupported, key: "shops") { _ in
            ["name": "x", "shops": .list([])]
        }
        refused("A batch is refused that finds by an attribute that is none", .unknownKey, key: "author.nmae") { _ in
            ["name": "x", "author.nmae": "Austen"]
        }
    }
}
