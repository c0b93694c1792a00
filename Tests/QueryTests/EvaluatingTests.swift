import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Evaluating predicates over rows")
struct EvaluatingTests {
    private let office: Office

    init() throws {
        office = try Office()
        try office.add(1, of: "Company", ["name": "Acme", "owner": 3])
        try office.add(1, ["age": 30, "name": "Ann", "nick": "Ann", "height": 1.5, "company": 1, "boss": 3, "paid": true])
        try office.add(2, ["age": 40, "name": "Bob", "nick": "Rob", "height": 2.0, "boss": 1])
        try office.add(3, ["name": "Cid", "height": .double(.nan), "salary": .decimal(40), "company": 1, "paid": false])
        try office.add(4)
    }

    private func expect(_ predicate: QueryPredicate, _ references: Int64..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try office.matching(predicate) == references, "\(predicate)", sourceLocation: sourceLocation)
    }

    // MARK: - No value

    @Test("Nothing equals nothing, and differs from everything else")
    func equalityOfNothing() throws {
        try expect(key("age") == .null, 3, 4)
        try expect(key("age") != .null, 1, 2)
        try expect(key("age") != 30, 2, 3, 4)
        try expect(!(key("age") == 30), 2, 3, 4)
    }

    @Test("Nothing neither precedes nor follows anything, so that NOT turns both round")
    func orderOfNothing() throws {
        try expect(key("age") < 35, 1)
        try expect(key("age") >= 35, 2)
        try expect(!(key("age") < 35), 2, 3, 4)
        try expect(key("age") <= .null)
        try expect(key("age").between(.null, 50))
    }

    @Test("Nothing contains nothing")
    func textOfNothing() throws {
        try expect(key("nick").contains(""), 1, 2)
        try expect(key("nick").like("*"), 1, 2)
        try expect(.comparison(.init(.keyPath("name"), .contains, .constant(.null))))
    }

    @Test("IN finds nothing where the list names it")
    func nothingInList() throws {
        try expect(key("age").isIn([30, .null]), 1, 3, 4)
        try expect(key("age").isIn([30, 99]), 1)
        try expect(key("name").isIn(["Ann", .null]), 1, 4)
        try expect(key("age").isIn([]))
        try expect(!key("age").isIn([]), 1, 2, 3, 4)
    }

    // MARK: - Logic

    @Test("The constant predicates, and AND and OR over nothing")
    func constants() throws {
        try expect(.constant(true), 1, 2, 3, 4)
        try expect(.constant(false))
        try expect(.and([]), 1, 2, 3, 4)
        try expect(.or([]))
    }

    @Test("BETWEEN takes both bounds in")
    func between() throws {
        try expect(key("age").between(30, 40), 1, 2)
        try expect(key("age").between(31, 40), 2)
        try expect(key("age").between(40, 30))
    }

    // MARK: - Kinds

    @Test("A number beyond the attribute's range, or between two whole ones, still has its place")
    func numbers() throws {
        try expect(key("age") < 100_000, 1, 2)
        try expect(key("age") > 30.5, 2)
        try expect(key("age") == 30.0, 1)
        try expect(key("age") == 30.5)
        try expect(key("salary") == 40, 3)
        try expect(key("salary") > 39.5, 3)
    }

    @Test("A NaN equals nothing, itself included, and has no order")
    func notANumber() throws {
        try expect(key("height") == .double(.nan))
        try expect(key("height") != .double(.nan), 1, 2, 3, 4)
        try expect(key("height") > 0, 1, 2)
        try expect(!(key("height") > 0), 3, 4)
    }

    @Test("Truth values equal truth values and 0 and 1")
    func truth() throws {
        try expect(key("paid") == true, 1)
        try expect(key("paid") == 0, 3)
        try expect(key("paid") != true, 2, 3, 4)
    }

    @Test("A float equals the constant that it was set to")
    func floats() throws {
        try office.add(5, ["weight": .double(Double(Float(0.1)))])
        try expect(key("weight") == 0.1, 5)
        try expect(key("weight").isIn([0.1]), 5)
    }

    @Test("Dates, UUIDs and URLs compare with values of their kind, the latter also as text")
    func others() throws {
        let uuid = UUID()
        let page = try #require(URL(string: "https://swift.org/a"))
        try office.add(5, ["born": .date(Date(timeIntervalSinceReferenceDate: 10)), "key": .uuid(uuid), "page": .url(page)])
        try expect(key("born") > .date(Date(timeIntervalSinceReferenceDate: 9)), 5)
        try expect(key("born") <= .date(Date(timeIntervalSinceReferenceDate: 9)))
        try expect(key("key") == .uuid(uuid), 5)
        try expect(key("page") == .url(page), 5)
        try expect(key("page") == "https://swift.org/a", 5)
        try expect(key("page").beginsWith("https:"), 5)
    }

    // MARK: - Objects

    @Test("An object is compared with IDs, of its own store only")
    func objects() throws {
        try expect(key("boss") == .objectID(try office.id(3)), 1)
        try expect(key("boss") != .objectID(try office.id(3)), 2, 3, 4)
        try expect(key("boss") == .objectID(try office.id(3, store: "OTHER")))
        try expect(key("boss") == .objectID(try office.id(3, of: "Manager")), 1)
        try expect(key("boss") == .null, 3, 4)
        try expect(key("boss") != .null, 1, 2)
        try expect(key("boss").isIn([.objectID(try office.id(1)), .null]), 2, 3, 4)
        try expect(.comparison(.init(.evaluatedObject, .equal, .constant(.objectID(try office.id(2))))), 2)
        try expect(.comparison(.init(.evaluatedObject, .isIn, .constant([.objectID(try office.id(2)), .objectID(try office.id(9))]))), 2)
    }

    @Test("A temporary ID is found whatever the store")
    func temporaryIDs() throws {
        try office.add(5, ["boss": .int(.min + 7)])
        try expect(key("boss") == .objectID(try office.id(.min + 7, store: nil)), 5)
    }

    @Test("A path through a relationship that leads nowhere has no value")
    func paths() throws {
        try expect(key("boss.name") == "Ann", 2)
        try expect(key("boss.name") == .null, 3, 4)
        try expect(key("boss.name") != "Ann", 1, 3, 4)
        try expect(key("boss.company.name") == "Acme", 1, 2)
        try expect(key("company.owner") == .objectID(try office.id(3)), 1, 3)
        try expect(key("boss.name").isIn(["Cid", .null]), 1, 3, 4)
        try office.add(5, ["boss": 99])
        try expect(key("boss.name") == .null, 3, 4, 5)
    }

    @Test("Two properties are compared with each other")
    func twoPaths() throws {
        try expect(.comparison(.init(.keyPath("name"), .equal, .keyPath("nick"))), 1, 4)
        try expect(.comparison(.init(.keyPath("age"), .greater, .keyPath("height"))), 1, 2)
        try expect(.comparison(.init(.keyPath("boss.age"), .less, .keyPath("age"))), 2)
        try expect(.comparison(.init(.evaluatedObject, .equal, .keyPath("company.owner"))), 3)
        try expect(.comparison(.init(.keyPath("boss"), .notEqual, .keyPath("company.owner"))), 2, 3)
        try expect(.comparison(.init(.keyPath("name"), .contains, .keyPath("nick"))), 1)
    }

    @Test("What the resolver throws reaches the caller")
    func throwing() throws {
        struct Failing: RowResolver {
            struct Failure: Error {}
            var storeID: StoreID? { nil }
            func row(root: EntityIndex, reference: Int64) throws -> Row? { throw Failure() }
            func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] { throw Failure() }
        }
        let test = RowPredicate(try office.resolve(key("boss.name") == "x"))
        let row = try #require(try office.row(root: try office.person.root, reference: 1))
        #expect(throws: Failing.Failure.self) { try test.passes(row, Failing()) }
    }
}
