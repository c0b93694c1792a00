import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import Testing

@Suite("Evaluating collections")
struct CollectionTests {
    private let office: Office

    /// Acme (1) has Ann, Bob and Dan, Bolt (2) has Eve, Void (3) nobody.
    ///
    /// Ann is the boss of Bob and Cid, Bob of Dan and Eve.
    init() throws {
        office = try Office()
        try office.add(1, of: "Company", ["name": "Acme", "owner": 1])
        try office.add(2, of: "Company", ["name": "Bolt"])
        try office.add(3, of: "Company", ["name": "Void", "owner": 5])
        try office.add(1, ["name": "Ann", "age": 50, "company": 1, "height": 1.5])
        try office.add(2, ["name": "Bob", "age": 40, "company": 1, "boss": 1, "salary": .decimal(10)])
        try office.add(3, ["name": "Cid", "age": 60, "boss": 1, "height": .double(.nan)])
        try office.add(4, ["name": "Dan", "company": 1, "boss": 2, "salary": .decimal(20)])
        try office.add(5, of: "Manager", ["name": "Eve", "age": 20, "company": 2, "boss": 2, "budget": 7])
    }

    private func companies(_ predicate: QueryPredicate) throws -> [Int64] { try office.matching(predicate, of: "Company") }
    private func people(_ predicate: QueryPredicate) throws -> [Int64] { try office.matching(predicate) }

    private func value(_ expression: QueryExpression, _ reference: Int64, of entity: String = "Person") throws -> Value {
        try office.value(expression, reference, of: entity)
    }

    private func any(_ path: String, _ op: QueryComparison.Operator, _ value: Value) -> QueryPredicate {
        .comparison(.init(.keyPath(path), op, .constant(value), modifier: .any))
    }

    private func all(_ path: String, _ op: QueryComparison.Operator, _ value: Value) -> QueryPredicate {
        .comparison(.init(.keyPath(path), op, .constant(value), modifier: .all))
    }

    private func subquery(_ path: String, _ predicate: QueryPredicate) -> QueryExpression {
        .subquery(.keyPath(path), variable: "x", predicate)
    }

    private func x(_ path: String) -> QueryExpression { .path(.variable("x"), path) }

    // MARK: - Some and all

    @Test("ANY needs an element that passes; ALL is met by none at all")
    func quantifiers() throws {
        #expect(try companies(any("people.age", .greater, 30)) == [1])
        #expect(try companies(any("people.age", .equal, .null)) == [1])
        #expect(try companies(all("people.age", .less, 30)) == [2, 3])
        #expect(try companies(all("people.age", .notEqual, .null)) == [2, 3])
        #expect(try companies(any("people", .equal, .objectID(try office.id(5)))) == [2])
        #expect(try companies(any("people", .equal, .objectID(try office.id(5, store: "OTHER")))) == [])
    }

    @Test("An element whose to-one step leads nowhere has the value nil")
    func missingSteps() throws {
        #expect(try people(any("staff.company.name", .equal, .null)) == [1])
        #expect(try people(any("staff.company.name", .notEqual, "Acme")) == [1, 2])
        #expect(try people(all("staff.company.name", .equal, "Acme")) == [3, 4, 5])
    }

    @Test("A value is IN a collection, and a collection CONTAINS it")
    func membership() throws {
        #expect(try companies(.comparison(.init(.constant("Bob"), .isIn, .keyPath("people.name")))) == [1])
        #expect(try companies(.comparison(.init(.keyPath("owner"), .isIn, .keyPath("people")))) == [1])
        #expect(try companies(.comparison(.init(.keyPath("people"), .contains, .keyPath("owner")))) == [1])
        #expect(try people(.comparison(.init(.keyPath("company.people.age"), .contains, .constant(50)))) == [1, 2, 4])
    }

    @Test("A comparison within a subquery may name the element, an outer one and the object itself")
    func scopes() throws {
        let older = subquery("people", .comparison(.init(x("age"), .greater, .keyPath("owner.age"))))
        #expect(try value(.path(older, "@count"), 1, of: "Company") == 0)
        let youngest = subquery("staff", .comparison(.init(x("age"), .less, .keyPath("age"))))
        #expect(try people(.comparison(.init(.path(youngest, "@count"), .equal, .constant(1)))) == [1, 2])
        // The staff of whom a colleague under the same boss is older than they, and the boss too.
        let colleague = QueryExpression.subquery(
            .path(.variable("x"), "boss.staff"), variable: "y",
            .and([
                .comparison(.init(.path(.variable("y"), "age"), .greater, x("age"))),
                .comparison(.init(.keyPath("age"), .greater, x("age"))),
            ]))
        let outrun = subquery("staff", .comparison(.init(.path(colleague, "@count"), .greater, .constant(0))))
        #expect(try value(.path(outrun, "@count"), 1) == 1)
        #expect(try value(.path(outrun, "name.@min"), 1) == "Bob")
        #expect(try value(.path(outrun, "@count"), 2) == 0)
    }

    @Test("A subquery of a subquery goes on from its elements")
    func nested() throws {
        let withCompany = subquery("staff", .comparison(.init(x("company"), .notEqual, .constant(.null))))
        let theirs = QueryExpression.subquery(
            .path(withCompany, "staff"), variable: "y",
            .comparison(.init(.path(.variable("y"), "age"), .equal, .constant(.null))))
        #expect(try value(.path(theirs, "@count"), 1) == 1)
        #expect(try value(.path(theirs, "name.@max"), 1) == "Dan")
        #expect(try value(.path(withCompany, "staff.@count"), 1) == 2)
        let again = QueryExpression.subquery(
            withCompany, variable: "y", .comparison(.init(.path(.variable("y"), "age"), .greater, .constant(30))))
        #expect(try value(.path(again, "@count"), 2) == 0)
        #expect(try value(.path(again, "@count"), 1) == 1)
    }

    @Test("An object counts once for every path to it")
    func duplicates() throws {
        // Bob's staff are in two companies, Ann's in one; Bob's boss has the staff Bob and Cid.
        #expect(try value(.keyPath("company.people.company.people.@count"), 1) == 9)
        #expect(try value(.keyPath("staff.boss.age.@sum"), 1) == 100)
        #expect(try value(.keyPath("company.people.company.name.@distinctUnionOfObjects"), 1) == ["Acme"])
        #expect(try value(.keyPath("company.people.company.name.@unionOfObjects"), 1) == ["Acme", "Acme", "Acme"])
    }

    // MARK: - Aggregates

    @Test("Aggregates pass over nil; of nothing the sum is 0 and the others nil")
    func aggregates() throws {
        func aggregate(_ name: String, _ path: String, _ reference: Int64) throws -> Value {
            try value(.keyPath("\(path).\(name)"), reference, of: "Company")
        }
        #expect(try aggregate("@count", "people", 1) == 3)
        #expect(try aggregate("@count", "people.age", 1) == 2)
        #expect(try aggregate("@sum", "people.age", 1) == 90)
        #expect(try aggregate("@avg", "people.age", 1) == 45.0)
        #expect(try aggregate("@min", "people.age", 1) == 40)
        #expect(try aggregate("@max", "people.name", 1) == "Dan")
        #expect(try aggregate("@sum", "people.salary", 1) == .decimal(30))
        #expect(try aggregate("@avg", "people.salary", 1) == .decimal(15))
        #expect(try aggregate("@median", "people.age", 1) == 45.0)
        #expect(try aggregate("@stddev", "people.age", 1) == 5.0)
        #expect(try aggregate("@count", "people", 3) == 0)
        #expect(try aggregate("@sum", "people.age", 3) == 0)
        for name in ["@avg", "@min", "@max", "@median", "@stddev"] { #expect(try aggregate(name, "people.age", 3) == .null) }
    }

    @Test("The least and the greatest pass over a NaN")
    func notANumber() throws {
        try office.add(6, ["boss": 1, "height": 2.0])
        #expect(try value(.keyPath("staff.height.@min"), 1) == 2.0)
        #expect(try value(.keyPath("staff.height.@max"), 1) == 2.0)
        guard case .double(let sum) = try value(.keyPath("staff.height.@sum"), 1) else {
            Issue.record("the sum is no number")
            return
        }
        #expect(sum.isNaN)
    }

    // MARK: - Elements

    @Test("An element has a position; there is none before the first and behind the last")
    func elements() throws {
        func name(_ position: QueryExpression.Position) throws -> Value {
            try value(.element(.keyPath("people.name"), position), 1, of: "Company")
        }
        #expect(try name(.first) == "Ann")
        #expect(try name(.last) == "Dan")
        #expect(try name(.size) == 3)
        #expect(try name(.at(.constant(1))) == "Bob")
        #expect(try name(.at(.constant(1.0))) == "Bob")
        for index: Value in [3, -1, 0.5, .null, "a", .int(.max)] { #expect(try name(.at(.constant(index))) == .null) }
        #expect(try value(.element(.keyPath("people.name"), .first), 3, of: "Company") == .null)
        #expect(try value(.element(.keyPath("people"), .last), 1, of: "Company") == 4)
        #expect(try companies(.comparison(.init(.element(.keyPath("people"), .first), .equal, .keyPath("owner")))) == [1])
    }

    @Test("The name of an object's entity is that of its own")
    func entityNames() throws {
        #expect(try value(.keyPath("entity.name"), 5) == "Manager")
        #expect(try value(.keyPath("boss.entity.name"), 5) == "Person")
        #expect(try value(.keyPath("boss.entity.name"), 1) == .null)
        #expect(try companies(any("people.entity.name", .equal, "Manager")) == [2])
    }

    // MARK: - Objects

    @Test("Within expressions, objects equal each other and their IDs, of one tree and one store")
    func objects() throws {
        let someone = QueryExpression.conditional(.constant(true), .keyPath("boss"), .evaluatedObject)
        func matches(_ op: QueryComparison.Operator, _ right: QueryExpression) throws -> [Int64] {
            try people(.comparison(.init(someone, op, right)))
        }
        #expect(try matches(.equal, .constant(.objectID(try office.id(1)))) == [2, 3])
        #expect(try matches(.equal, .constant(.objectID(try office.id(1, store: "OTHER")))) == [])
        #expect(try matches(.equal, .constant(.objectID(try office.id(1, of: "Company")))) == [])
        #expect(try matches(.equal, .constant(.objectID(try office.id(1, of: "Manager")))) == [2, 3])
        #expect(try matches(.notEqual, .constant(.objectID(try office.id(1)))) == [1, 4, 5])
        #expect(try matches(.equal, .constant(.null)) == [1])
        #expect(try matches(.equal, .constant(1)) == [])
        #expect(try matches(.isIn, .constant([.objectID(try office.id(2)), .null])) == [1, 4, 5])
        #expect(try matches(.isIn, .list([.keyPath("company.owner"), .keyPath("company")])) == [2])
        #expect(try value(someone, 2) == 1)
        #expect(try value(.list([someone, .keyPath("company")]), 2) == [1, 1])
    }

    @Test("An object that was never saved is found by its reference alone")
    func temporaryObjects() throws {
        try office.add(6, ["boss": .int(.min + 7)])
        let boss = QueryExpression.conditional(.constant(true), .keyPath("boss"), .evaluatedObject)
        let id = QueryExpression.constant(.objectID(try office.id(.min + 7, store: nil)))
        #expect(try people(.comparison(.init(boss, .equal, id))) == [6])
        #expect(try people(.comparison(.init(boss, .isIn, .list([id])))) == [6])
    }

    @Test("Among 40,000 IDs, one is found")
    func manyIDs() throws {
        let scope = ObjectIDScope(storeID: "STORE", entity: try office.person)
        let ids = (3..<40_003).map { Value.objectID(ObjectID(scope: scope, reference: $0)) }
        #expect(try people(.comparison(.init(.evaluatedObject, .isIn, .constant(.list(ids))))) == [3, 4, 5])
        #expect(try people(any("staff", .isIn, .list(ids))) == [1, 2])
    }

    // MARK: - Laws

    @Test("ALL is NONE that fails, and the elements that pass and those that fail are all")
    func laws() throws {
        let office = try Office()
        var random = SeededGenerator(seed: 21)
        for reference in 1...40 { try office.add(Int64(reference), RandomPeople.values(&random)) }
        let person = try office.person
        let count = RowExpression(try office.resolve(.keyPath("staff.@count")))
        var (some, none) = (0, 0)
        for _ in 0..<400 {
            let condition = RandomPeople.predicate(person, depth: 2, &random)
            let met = try office.staff(condition)
            let failed = try office.staff(.not(condition))
            let exists = RowPredicate(.exists(met))
            let all = RowPredicate(.not(.exists(failed)))
            let counts = [met, failed].map { RowExpression(.aggregate(.count, $0, of: nil)) }
            for reference in Int64(1)...40 {
                let row = try #require(try office.row(root: person.root, reference: reference))
                let numbers = try counts.map { try $0.value(row, office) }
                guard case .int(let passing) = numbers[0], case .int(let failing) = numbers[1] else {
                    Issue.record("a count is no number")
                    return
                }
                let holds =
                    try exists.passes(row, office) == (passing > 0) && all.passes(row, office) == (failing == 0)
                    && count.value(row, office) == .int(passing + failing)
                if !holds { Issue.record("\(condition) of the staff of \(reference): \(passing) and \(failing)") }
                some += Int(passing)
                none += Int(failing)
            }
        }
        #expect(some > 1000)
        #expect(none > 1000)
    }
}
