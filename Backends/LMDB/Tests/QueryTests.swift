import Foundation
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestRandom
import Testing

@testable import StrataLMDB

@Suite("LMDB: indexes")
struct QueryTests {
    let scratch: Scratch
    let indexed: any StoreBackend
    let plain: any StoreBackend
    let model: ManagedObjectModel
    let maker: RowMaker
    let plainMaker: RowMaker

    /// The same random rows in a store with indexes and in one without.
    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
        let plainModel = try Sample.model(indexed: false)
        maker = RowMaker(model: model)
        plainMaker = RowMaker(model: plainModel)
        indexed = try LMDBDriver().open(Sample.description(scratch.file("a")), model: model)
        plain = try LMDBDriver().open(Sample.description(scratch.file("b")), model: plainModel)
        var random = SeededGenerator(seed: 42)
        var rows: [Row] = []
        for reference in Int64(1)...400 {
            rows.append(
                try maker.row(random.next() % 3 == 0 ? "Student" : "Person", reference, Self.values(&random, reference))
            )
        }
        try indexed.insert(rows)
        try plain.insert(rows)
        // Changes and removals go through the indexes too.
        var changes = ChangeSet()
        for row in rows where row.reference % 5 == 0 {
            var values = Self.values(&random, row.reference)
            values["email"] = nil
            for name in ["name", "age", "height", "balance"] where values[name] == nil { values[name] = .null }
            changes.updated.append(try maker.update(row, values))
        }
        for row in rows where row.reference % 7 == 1 && row.reference % 5 != 0 {
            changes.deleted.append(RowDeletion(entity: row.entityIndex, reference: row.reference, expectedVersion: 1))
        }
        #expect(try indexed.save(changes).isEmpty)
        #expect(try plain.save(changes).isEmpty)
    }

    static let long = String(repeating: "é", count: 300)
    static let names: [Value] = [
        "", "a", "ab", "abc", "ab\0", "ab\0c", "b", "B", "é", "ÿ", "zz", .string(long), .string(long + "1"), .string(long + "2"),
        "\u{10FFFF}",
    ]
    static let heights: [Value] = [
        .double(0), .double(-0.0), .double(1.5), .double(-1.5), .double(.infinity), .double(-.infinity), .double(.nan),
        .double(.leastNonzeroMagnitude), .double(2),
    ]
    static let ages: [Value] = [.int(Int64(Int32.min)), .int(-1), .int(0), .int(1), .int(2), .int(3), .int(Int64(Int32.max))]
    static let balances: [Value] = ["0", "-1.5", "12345678901234567890.5", "12345678901234567890.25", "1e-20", "7"].map {
        .decimal(Decimal(string: $0) ?? 0)
    }

    static func values(_ random: inout SeededGenerator, _ reference: Int64) -> [String: Value] {
        var values: [String: Value] = ["nickname": random.pick(names)]
        if random.next() % 6 != 0 { values["name"] = random.pick(names) }
        if random.next() % 6 != 0 { values["age"] = random.pick(ages) }
        if random.next() % 6 != 0 { values["height"] = random.pick(heights) }
        if random.next() % 6 != 0 { values["balance"] = random.pick(balances) }
        if random.next() % 2 == 0 { values["email"] = .string("\(reference)@" + (reference % 2 == 0 ? long + long : "")) }
        return values
    }

    static func comparison(_ random: inout SeededGenerator) -> QueryPredicate {
        let (name, constants): (String, [Value]) = random.pick([
            ("name", names), ("age", ages), ("height", heights), ("balance", balances),
            ("email", ["2@", "3@", .string("4@" + long + long)]),
        ])
        let property = QueryExpression.keyPath(name)
        let constant = random.pick(constants)
        switch random.next() % 9 {
        case 0: return property < constant
        case 1: return property <= constant
        case 2: return property > constant
        case 3: return property >= constant
        case 4: return property != constant
        case 5: return property.isIn([constant, random.pick(constants), .null].filter { _ in random.next() % 4 != 0 })
        case 6: return property.between(constant, random.pick(constants))
        case 7:
            if case .string(let text) = constant { return property.beginsWith(String(text.prefix(2))) }
            return property == .null
        default: return property == constant
        }
    }

    @Test("A store with indexes answers as one without does, whatever is asked", arguments: 0..<4)
    func indexesEqualScans(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &* 7919)
        var sorts: [[QuerySort]] = [[], [], []]
        for up in [true, false] {
            sorts += [
                [QuerySort("name", ascending: up)], [QuerySort("height", ascending: up)], [QuerySort("balance", ascending: up)],
                [QuerySort("age", ascending: up), QuerySort("height", ascending: !up)],
                [QuerySort("age", ascending: up), QuerySort("height", ascending: up)], [QuerySort("nickname", ascending: up)],
            ]
        }
        for _ in 0..<120 {
            var predicate = Self.comparison(&random)
            if random.next() % 2 == 0 { predicate = predicate && Self.comparison(&random) }
            if random.next() % 4 == 0 { predicate = predicate && Self.comparison(&random) }
            if random.next() % 8 == 0 { predicate = predicate || Self.comparison(&random) }
            if random.next() % 8 == 0 { predicate = !predicate }
            let condition = random.next() % 10 == 0 ? nil : predicate
            let entity = random.pick(["Person", "Student"])
            let sort = random.pick(sorts)
            let limit = random.pick([nil, nil, 0, 1, 7])
            let offset = random.pick([0, 0, 3])
            func answers(_ store: any StoreBackend, _ maker: RowMaker) throws -> (
                rows: [Int64], references: [ObjectReference], count: Int
            ) {
                let rows = try store.fetch(try maker.plan(entity, condition, sort: sort, limit: limit, offset: offset))
                let references = try maker.plan(entity, condition, sort: sort, limit: limit, offset: offset, result: .references)
                let count = try maker.plan(entity, condition, limit: limit, offset: offset, result: .count)
                let answer = try store.read { try $0.execute(references) }
                guard case .references(let found) = answer else { return ([], [], -1) }
                return (rows.map(\.reference), found, try store.count(count))
            }
            let (a, b) = (try answers(indexed, maker), try answers(plain, plainMaker))
            let asked: Comment = "\(condition.map(\.description) ?? "all") \(sort) \(String(describing: limit)) \(offset)"
            #expect(a.rows == b.rows, asked)
            #expect(a.references == b.references, asked)
            #expect(a.references.map(\.reference) == a.rows, asked)
            #expect(a.count == b.count, asked)
            #expect(a.count == a.rows.count, asked)
        }
    }

    @Test("Conditions on indexed attributes are looked up, not searched for")
    func accessPaths() throws {
        func path(
            _ predicate: QueryPredicate?, sort: [QuerySort] = [], limit: Int? = nil
        ) throws -> (access: [PlanExplanation.Access], isTested: Bool) {
            let plan = try maker.plan("Person", predicate, sort: sort, limit: limit)
            let explanation = try indexed.read { try $0.explain(plan) }
            return (explanation.access, !explanation.tested.isEmpty)
        }
        #expect(try path(key("name") == "a") == ([.index("byName")], false))
        #expect(try path(key("name").beginsWith("a")) == ([.index("byName")], false))
        #expect(try path(key("email") == "x") == ([.index("unique email")], false))
        #expect(try path(key("nickname") == "x") == ([.scan], true))
        #expect(try path(key("age") == .int(1) && key("height") > .double(0)) == ([.index("byAgeAndHeight")], false))
        #expect(try path(nil, sort: [QuerySort("name", ascending: false)], limit: 3) == ([.index("byName")], false))
        #expect(try path(key("age") == .int(1), sort: [QuerySort("height")]) == ([.index("byAgeAndHeight")], false))
        #expect(try path(key("balance") == .decimal(1)) == ([.index("byBalance")], true))
        #expect(try path(key("name") == "a" || key("height") == .double(2)) == ([.index("byName"), .index("byHeight")], false))
        #expect(try path(key("name") == "a" || key("name") == "b") == ([.index("byName")], false))
        #expect(try path(key("age") > .int(1) && key("age") < .int(1)) == ([.nothing], false))
    }

    // Each of 40,000 values was looked up in the index of a store with 5 rows.
    @Test("A list longer than a quarter of the rows is tested row by row, a shorter one looked up")
    func longLists() throws {
        let scopes = ObjectIDScopes(model: model, storeID: indexed.id)
        let person = try #require(model.entity(named: "Person")).index
        func isScan(_ entity: String, _ expression: QueryExpression, _ values: [Value]) throws -> Bool {
            let plan = try maker.plan(entity, expression.isIn(values))
            return try indexed.read { try $0.explain(plan) }.access == [.scan]
        }
        func ages(_ count: Int64) -> [Value] { (2..<(count + 2)).map { .int($0) } }
        func people(_ count: Int64) -> [Value] { (1...count).map { .objectID(ObjectID(scope: scopes[person], reference: $0)) } }
        let everybody = try indexed.fetch(try maker.plan("Person")).map(\.reference)
        let quarter = Int64(everybody.count / 4)
        #expect(try !isScan("Person", key("age"), ages(quarter)))
        #expect(try isScan("Person", key("age"), ages(quarter + 1)))
        #expect(try !isScan("Person", .evaluatedObject, people(Int64(everybody.count))))
        #expect(try isScan("Person", .evaluatedObject, people(Int64(everybody.count) + 1)))
        for count in [100, 101, 40_000] as [Int64] {
            let plan = { (maker: RowMaker) in try maker.plan("Person", key("age").isIn(ages(count)), sort: [QuerySort("name")]) }
            let found = try indexed.fetch(try plan(maker)).map(\.reference)
            #expect(try found == plain.fetch(try plan(plainMaker)).map(\.reference))
            #expect(found.count > 50)
        }
        let named = try indexed.fetch(try maker.plan("Person", QueryExpression.evaluatedObject.isIn(people(2000))))
        #expect(named.map(\.reference) == everybody)
    }

    @Test("Objects are found by themselves and by what they are related to")
    func objects() throws {
        let scopes = ObjectIDScopes(model: model, storeID: indexed.id)
        let person = try #require(model.entity(named: "Person"))
        let id = { (reference: Int64) in Value.objectID(ObjectID(scope: scopes[person.index], reference: reference)) }
        let foreign = Value.objectID(
            ObjectID(scope: ObjectIDScopes(model: model, storeID: StoreID(UUID().uuidString))[person.index], reference: 2)
        )
        var pets: [Row] = []
        for reference in Int64(1)...20 {
            pets.append(
                try maker.row(
                    "Pet", reference, ["owner": [.int(reference % 4 + 2), .int(Int64(person.index.rawValue)), .int(-reference * 1024)]])
            )
        }
        pets.append(try maker.row("Pet", 21, [:]))
        try indexed.insert(pets)
        #expect(
            try indexed.fetch(try maker.plan("Person", QueryExpression.evaluatedObject.isIn([id(3), id(2), foreign, id(9999)]))).map(
                \.reference
            ) == [2, 3]
        )
        #expect(try indexed.fetch(try maker.plan("Pet", key("owner") == id(3))).map(\.reference) == [1, 5, 9, 13, 17])
        #expect(try indexed.count(try maker.plan("Pet", key("owner") == foreign, result: .count)) == 0)
        #expect(try indexed.fetch(try maker.plan("Pet", key("owner") == .null)).map(\.reference) == [21])
        #expect(try indexed.count(try maker.plan("Pet", key("owner.name") == .null || key("owner.name") != .null, result: .count)) == 21)
        let relationship = try #require(person.relationship(named: "pets"))
        #expect(try indexed.read { try $0.destinations(of: relationship, owner: 3).map(\.reference) } == [17, 13, 9, 5, 1])
    }

    @Test("Groups add up")
    func groups() throws {
        let person = try #require(model.entity(named: "Person"))
        let age = ResolvedExpression.path(try PropertyPath("age", of: person, in: model))
        let grouping = GroupPlan(keys: [age], aggregates: [.init(.count, nil), .init(.sum, age)])
        let plan = try maker.plan("Person", key("age") >= .int(2), result: .groups(grouping))
        let answer = try indexed.read { try $0.execute(plan) }
        guard case .groups(let groups) = answer else {
            Issue.record("no groups")
            return
        }
        let rows = try indexed.fetch(try maker.plan("Person", key("age") >= .int(2)))
        #expect(groups.map { $0.partials[0].count }.reduce(0, +) == rows.count)
        for group in groups {
            let members = rows.filter { maker.value($0, "age") == group.keys[0] }
            #expect(group.partials[0].count == members.count)
        }
    }
}
