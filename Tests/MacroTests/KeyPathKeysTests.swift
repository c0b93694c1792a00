#if Macros
    import Foundation
    import Strata
    import StrataInMemory
    import StrataSQLite
    import StrataTestSupport
    import Testing

    enum Rank: String, ValueConvertible { case low, high }
    enum Colour: Int, Codable { case red = 1, blue }
    struct Spot: Codable, Hashable, Sendable {
        var x = 0
        var y = 0
    }
    @Composite struct Extent: Equatable, Decodable {
        var width: Int?
        var height: Int?
    }

    @Model final class Rack: ManagedObject {
        #Unique<Rack>([\.label])
        var label: String
        var rank: Rank = .low
        @Relationship(inverse: \Crate.shelf) var boxes: Set<Crate> = []
        @Relationship(.ordered, inverse: \Crate.route) var stops: [Crate] = []
        init(_ label: String) { self.label = label }
    }

    @Model final class Tag: ManagedObject {
        #Unique<Tag>([\.word])
        var word: String
        var boxes: [Crate] = []
        init(_ word: String) { self.word = word }
    }

    @Model final class Crate: ManagedObject {
        var label: String
        var weight: Double?
        var count: Int = 0
        var rank: Rank = .low
        var lastRank: Rank?
        var colour: Colour = .red
        var lastColour: Colour?
        var words: [String] = []
        var numbers: [Int]?
        var spot: Spot?
        var home = Spot()
        var prices: [String: Double] = [:]
        var size: Extent?
        var shelf: Rack?
        var route: Rack?
        @Relationship(inverse: \Tag.boxes) var tags: [Tag] = []
        init(_ label: String) { self.label = label }
        var isHeavy: Bool { (weight ?? 0) > 10 }
    }

    /// Key paths of `@Model` classes were no keys of batch rows, tuples, snapshots and aggregates, and arrays, enumerations that are only
    /// `Codable` and other `Codable` values were no values of batch rows.
    @MainActor @Suite("Key paths of @Model classes where keys are accepted")
    struct KeyPathKeysTests {
        enum Kind { case inMemory, sqlite }

        private func context(_ kind: Kind, _ directory: TemporaryDirectory) throws -> ManagedObjectContext {
            let description =
                kind == .inMemory ? StoreDescription(.inMemory) : StoreDescription(.sqlite, path: directory.file("boxes.sqlite"))
            return try PersistentContainer(for: Crate.self, stores: [description]).newContext()
        }

        /// Two boxes by a batch insert: one with a value for every property, one with none but those that are required.
        private func fill(_ context: ManagedObjectContext) throws {
            let shelf = Rack("s")
            context.insert(shelf)
            try context.save()
            try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["word": "a"], ["word": "b"]]))
            var count = 0
            try context.execute(
                BatchInsertRequest(entityName: "Crate") { (row: inout BatchRow) in
                    count += 1
                    if count > 2 { return true }
                    row[Crate.label] = "box \(count)"
                    row[Crate.home] = Spot(x: 5, y: 6)
                    if count == 2 {
                        row[Crate.weight] = nil
                        row[Crate.lastColour] = nil
                        row[Crate.numbers] = nil
                        row[\Crate.size] = nil
                        return false
                    }
                    row[Crate.weight] = 1.5
                    row[\Crate.count] = 7
                    row[Crate.rank] = .high
                    row[Crate.lastRank] = .high
                    row[Crate.colour] = .blue
                    row[Crate.lastColour] = .blue
                    row[Crate.words] = ["x", "y"]
                    row[Crate.numbers] = [3, 4]
                    row[Crate.spot] = Spot(x: 1, y: 2)
                    row[Crate.prices] = ["EUR": 2.5]
                    row[Crate.size] = Extent(width: 3)
                    row[Crate.shelf] = shelf.objectID
                    row[Crate.route.appending(Rack.label)] = "s"
                    row[Crate.tags, by: Tag.word] = ["a", "b"]
                    var isRead: [Bool] = []
                    isRead.append(row[Crate.label] == "box 1")
                    isRead.append(row[Crate.weight] == 1.5)
                    isRead.append(row[Crate.rank] == .high)
                    isRead.append(row[Crate.colour] == .blue)
                    isRead.append(row[Crate.lastColour] == .blue)
                    isRead.append(row[Crate.words] == ["x", "y"])
                    isRead.append(row[Crate.numbers] == [3, 4])
                    isRead.append(row[Crate.spot] == Spot(x: 1, y: 2))
                    isRead.append(row[Crate.prices] == ["EUR": 2.5])
                    isRead.append(row[Crate.size] == Extent(width: 3))
                    isRead.append(row[Crate.shelf] == shelf.objectID)
                    isRead.append(row[Crate.route.appending(Rack.label)] == "s")
                    isRead.append(row[Crate.tags, by: Tag.word] == ["a", "b"])
                    isRead.append(row[Crate.tags].isEmpty)
                    #expect(isRead.allSatisfy { $0 })
                    return false
                })
        }

        private func boxes(_ context: ManagedObjectContext) throws -> [Crate] {
            try context.fetch(ObjectFetchRequest<Crate>(sort: [Crate.label.ascending]))
        }

        @Test("set every kind of property of a batch row, as the accessors of an object do", arguments: [Kind.inMemory, .sqlite])
        func batchRows(_ kind: Kind) throws {
            let directory = try TemporaryDirectory()
            let context = try context(kind, directory)
            try fill(context)
            let found = try boxes(context)
            #expect(found.count == 2)
            let (full, empty) = (found[0], found[1])
            #expect(full.weight == 1.5)
            #expect(full.count == 7)
            #expect(full.rank == .high)
            #expect(full.lastRank == .high)
            #expect(full.colour == .blue)
            #expect(full.lastColour == .blue)
            #expect(full.words == ["x", "y"])
            #expect(full.numbers == [3, 4])
            #expect(full.spot == Spot(x: 1, y: 2))
            #expect(full.home == Spot(x: 5, y: 6))
            #expect(full.prices == ["EUR": 2.5])
            #expect(full.size == Extent(width: 3))
            #expect(full.shelf?.label == "s")
            #expect(full.route?.label == "s")
            #expect(Set(full.tags.map(\.word)) == ["a", "b"])
            #expect(full.route?.stops == [full])
            #expect(empty.weight == nil)
            #expect(empty.count == 0)
            #expect(empty.rank == .low)
            #expect(empty.colour == .red)
            #expect(empty.lastColour == nil)
            #expect(empty.words == [])
            #expect(empty.numbers == nil)
            #expect(empty.spot == nil)
            #expect(empty.size == nil)
            #expect(empty.shelf == nil)
            // What is kept is what an object keeps.
            #expect(try context.count(for: ObjectFetchRequest<Crate>(Crate.words == ["x", "y"] && Crate.colour == .blue)) == 1)
        }

        @Test("set relationships by ID and by paths behind a step")
        func relationships() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            let (shelf, tag) = (Rack("s"), Tag("a"))
            for object in [shelf, tag] as [ManagedObject] { context.insert(object) }
            try context.save()
            var isDone = false
            try context.execute(
                BatchInsertRequest(entityName: "Crate") { (row: inout BatchRow) in
                    defer { isDone = true }
                    row[\Crate.label] = "b"
                    row[\Crate.home] = Spot()
                    row[\Crate.tags] = [tag.objectID]
                    row[\Crate.shelf?.label] = "s"
                    row[Crate.route.appending(Rack.rank)] = .low
                    return isDone
                })
            let box = try #require(try boxes(context).first)
            #expect(box.tags == [tag])
            #expect(box.shelf == shelf)
            #expect(box.route == shelf)
        }

        @Test("of a computed property, and of another class, are errors with entity and key")
        func mistakes() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            func error(_ fill: @escaping (inout BatchRow) -> Void) throws -> StoreError? {
                var isDone = false
                return #expect(throws: StoreError.self) {
                    try context.execute(
                        BatchInsertRequest(entityName: "Crate") { (row: inout BatchRow) in
                            defer { isDone = true }
                            row[Crate.label] = "b"
                            fill(&row)
                            return isDone
                        })
                }
            }
            let computed = try error { $0[\Crate.isHeavy] = true }
            #expect(computed?.code == .unknownKey)
            #expect(computed?.entity == "Crate")
            #expect(computed?.message.contains("computed") == true)
            let foreign = try error { $0[Tag.word] = "x" }
            #expect(foreign?.code == .unknownKey)
            #expect(foreign?.key == "word")
            #expect(try context.count(for: ObjectFetchRequest<Crate>()) == 0)
        }

        @Test("select the values of tuples")
        func tuples() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            try fill(context)
            let request = ObjectFetchRequest<Crate>(sort: [Crate.label.ascending])
            let rows = try context.fetch(request, selecting: Crate.label, Crate.weight, \Crate.rank, Crate.shelf.appending(Rack.label))
            #expect(rows.map(\.0) == ["box 1", "box 2"])
            #expect(rows.map(\.1) == [1.5, nil])
            #expect(rows.map(\.2) == [.high, .low])
            #expect(rows.map(\.3) == ["s", nil])
            let one = try context.fetch(request, selecting: \Crate.label)
            #expect(one == ["box 1", "box 2"])
        }

        @Test("have the values of snapshots and dictionaries")
        func values() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            try fill(context)
            let box = try #require(try boxes(context).first)
            let snapshot = box.snapshot()
            #expect(snapshot[Crate.label] == "box 1")
            #expect(snapshot[\.weight] == 1.5)
            #expect(snapshot[Crate.rank] == .high)
            #expect(snapshot[Crate.colour] == .blue)
            #expect(snapshot[Crate.lastColour] == .blue)
            #expect(snapshot[Crate.words] == ["x", "y"])
            #expect(snapshot[Crate.numbers] == [3, 4])
            #expect(snapshot[Crate.spot] == Spot(x: 1, y: 2))
            #expect(snapshot[Crate.size] == Extent(width: 3))
            #expect(snapshot[Crate.shelf] == box.shelf?.objectID)
            #expect(snapshot.colour == .blue)
            #expect(snapshot.lastColour == .blue)
            #expect(snapshot.words == ["x", "y"])
            #expect(snapshot.label == "box 1")
            #expect(snapshot.spot == Spot(x: 1, y: 2))
            #expect(snapshot.numbers == [3, 4])
            #expect(snapshot.shelf == box.shelf?.objectID)
            let request = ObjectFetchRequest<Crate>(Crate.count > 0).fetching(
                .init(Crate.label), .init(\Crate.colour), .init(Crate.words), .init(Crate.spot), .init(Crate.size), .init(Crate.shelf),
                .property(Crate.numbers), .init(Crate.shelf.appending(Rack.label)), .init(Crate.prices))
            let row = try #require(try context.fetchDictionaries(request).first)
            #expect(row[Crate.label] == "box 1")
            #expect(row[Crate.colour] == .blue)
            #expect(row[Crate.words] == ["x", "y"])
            #expect(row[Crate.numbers] == [3, 4])
            #expect(row[Crate.spot] == Spot(x: 1, y: 2))
            #expect(row[Crate.size] == Extent(width: 3))
            #expect(row[Crate.shelf] == box.shelf?.objectID)
            #expect(row[Crate.prices] == ["EUR": 2.5])
            #expect(row[Crate.shelf.appending(Rack.label)] == "s")
        }

        @Test("are keys of groups and aggregates, whatever their type")
        func aggregates() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            try fill(context)
            let request = ObjectFetchRequest<Crate>(sort: [QuerySort("colour")]).grouped(
                by: [.property(Crate.colour)],
                computing: [
                    .sum(Crate.count, as: "sum"), .max(Crate.lastColour, as: "last"), .count(Crate.shelf, as: "shelves"),
                    .count(Crate.words, as: "words"), .countDistinct(Crate.rank, as: "ranks"), .average(Crate.weight, as: "weight"),
                ])
            let rows = try context.fetchDictionaries(request)
            #expect(rows.map { $0[Crate.colour] } == [.red, .blue])
            #expect(rows.map { $0["sum"] } == [0, 7])
            #expect(rows.map { $0["last"] } == [.null, 2])
            #expect(rows.map { $0["shelves"] } == [0, 1])
            #expect(rows.map { $0["words"] } == [1, 1])
            #expect(rows.map { $0["ranks"] } == [1, 1])
            #expect(rows.map { $0["weight"] } == [.null, 1.5])
        }

        @Test("are appended to to-one relationships, whatever they name")
        func appending() {
            #expect(Crate.shelf.appending(Rack.label).path == "shelf.label")
            #expect(Crate.shelf.appending(Rack.rank).path == "shelf.rank")
            #expect(Crate.shelf.appending(Rack.boxes).path == "shelf.boxes")
            #expect(ToOne<Crate>("box").appending(Crate.colour).path == "box.colour")
            #expect(ToOne<Crate>("box").appending(Crate.words).path == "box.words")
            #expect(ToOne<Crate>("box").appending(Crate.shelf).appending(Rack.label).path == "box.shelf.label")
            #expect(Crate.shelf.appending(Key<Int>("number")).path == "shelf.number")
        }

        @Test("An expression without a type is compared with variables")
        func variables() throws {
            let context = try context(.inMemory, try TemporaryDirectory())
            try fill(context)
            let (limit, label, none, id, wide, range) = (5, "box 2", Int?.none, UUID(), Int16(7), 5...9)
            func count(_ predicate: QueryPredicate) throws -> Int { try context.count(for: ObjectFetchRequest<Crate>(predicate)) }
            #expect(try count(key("count") > limit) == 1)
            #expect(try count(key("count") <= limit) == 1)
            #expect(try count(key("count") == wide) == 1)
            #expect(try count(key("label") == label) == 1)
            #expect(try count(key("label") != label) == 1)
            #expect(try count(key("count") == none) == 0)
            #expect(try count(key("count").isIn([limit, 7])) == 1)
            #expect(try count(key("count").between(limit, 9)) == 1)
            #expect(try count(range ~= key("count")) == 1)
            #expect(try count(limit..<7 ~= key("count")) == 0)
            #expect(try count(key("count") + limit > 11) == 1)
            #expect(try count(key("count") * limit == 0) == 1)
            #expect((key("id") == id) as QueryPredicate == (key("id") == .uuid(id)) as QueryPredicate)
            #expect(try count(key("count") > 1 && key("label") == "box 1" && key("weight") == 1.5 && key("numbers") != nil) == 1)
        }
    }
#endif
