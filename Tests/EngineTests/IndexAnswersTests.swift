import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestRandom
import Testing

@testable import StrataEngine

@Suite("Answers through indexes")
struct IndexAnswersTests {
    /// Rows, conditions and orders by chance, with many equal values and all that is awkward.
    private struct Chance {
        var random: SeededGenerator
        let company: Company
        let storeID: StoreID

        mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

        mutating func name() -> Value {
            let person = Value.string("person \(Int.random(in: 1...40, using: &random))")
            return pick([Value.null, "", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefg\0", "Ann", "Ånn", person, person])
        }

        mutating func age() -> Value { pick([.null, -32768, 0, 1, .int(Int64.random(in: -5...60, using: &random))]) }

        mutating func score() -> Value {
            let number = Value.double(Double.random(in: -3...3, using: &random))
            return pick([.null, 0.0, -0.0, .double(.nan), .double(.infinity), .double(-.infinity), number])
        }

        mutating func grade() -> Value { pick([Value.null, 1, 2, 3, -2_147_483_648]) }

        mutating func row(_ reference: Int64, version: UInt32 = 1, isEmployee: Bool) throws -> Row {
            var values: [String: Value] = ["name": name(), "age": age(), "score": score(), "isActive": pick([Value.null, true, false])]
            values["department"] = pick([nil, 1, 2, 4])
            if isEmployee { values["grade"] = grade() }
            return try company.row(isEmployee ? "Employee" : "Person", reference, version: version, values)
        }

        mutating func comparison(_ entity: String) throws -> QueryPredicate {
            let (key, value, other): (String, Value, Value) =
                switch Int.random(in: 0..<(entity == "Employee" ? 8 : 7), using: &random) {
                case 0: ("name", name(), name())
                case 1: ("age", age(), age())
                case 2: ("score", score(), score())
                case 3: ("isActive", pick([.null, true, false]), true)
                case 4: ("department", try object("Department", 3), try object("Department", 3))
                case 5: ("SELF", try object(entity, 400), try object(entity, 400))
                case 6: ("department.name", departmentName(), departmentName())
                default: ("grade", grade(), grade())
                }
            let expression = key == "SELF" ? QueryExpression.evaluatedObject : .keyPath(key)
            let isObject = key == "SELF" || key == "department"
            switch Int.random(in: 0..<(isObject || key == "isActive" ? 3 : key == "name" ? 9 : 8), using: &random) {
            case 0: return expression == value
            case 1: return expression != value
            case 2: return expression.isIn([value, other, value])
            case 3: return expression < value
            case 4: return expression <= value
            case 5: return expression > value
            case 6: return expression >= value
            case 7: return expression.between(value, other)
            default:
                guard case .string(let text) = value else { return expression == value }
                return expression.beginsWith(String(text.prefix(Int.random(in: 0...8, using: &random))))
            }
        }

        mutating func departmentName() -> Value { pick([.null, "sales", "stock", "none", "s"]) }

        /// A condition on the objects at the other end of a to-many relationship.
        mutating func quantified(_ entity: String) throws -> QueryPredicate {
            let (path, value): (String, Value) = pick([
                ("friends.name", name()), ("friends.age", age()), ("projects.name", departmentName()), ("department.staff.name", name()),
                ("friends.department.name", departmentName()), ("friends.friends.age", age()),
            ])
            let op = pick([QueryComparison.Operator.equal, .equal, .less, .greaterOrEqual, .notEqual])
            let comparison = QueryPredicate.comparison(.init(.keyPath(path), op, .constant(value), modifier: .any))
            return pick([comparison, comparison, .not(comparison)])
        }

        mutating func object(_ entity: String, _ greatest: Int64) throws -> Value {
            let reference = Int64.random(in: 1...greatest, using: &random)
            let store = pick([storeID, storeID, storeID, "another"])
            let scope = ObjectIDScope(storeID: store, entity: try company.entity(entity))
            let value = Value.objectID(ObjectID(scope: scope, reference: reference))
            return pick([value, value, value, .null])
        }

        mutating func predicate(_ entity: String) throws -> QueryPredicate {
            switch Int.random(in: 0..<11, using: &random) {
            case 0: .not(try comparison(entity))
            case 1: .or([try comparison(entity), try comparison(entity)])
            case 2, 3: .and([try comparison(entity), try comparison(entity), try comparison(entity)])
            case 4: .or([.and([try comparison(entity), try comparison(entity)]), try comparison(entity), try comparison(entity)])
            case 5: .and([.or([try comparison(entity), try comparison(entity)]), .not(try comparison(entity))])
            case 6: try quantified(entity)
            case 7: .and([try quantified(entity), try comparison(entity)])
            case 8: .or([try quantified(entity), try comparison(entity)])
            default: try comparison(entity)
            }
        }
    }

    @Test("Whatever index a fetch uses, its rows are those that a test of every row finds", arguments: [UInt64(11), 12, 13])
    func agreesWithScan(seed: UInt64) throws {
        let company = try Company()
        let engine = try company.engine()
        var chance = Chance(random: SeededGenerator(seed: seed), company: company, storeID: engine.metadata.storeID)
        var versions: [Int64: (version: UInt32, isEmployee: Bool)] = [:]
        // Nobody is in department 3, and department 4 is not there.
        try engine.save { changes in
            for (reference, name) in [(1, "sales"), (2, "stock"), (3, nil)] as [(Int64, String?)] {
                let values: [String: Value] = name.map { ["name": .string($0)] } ?? [:]
                changes.inserted.append(try company.row("Department", reference, values))
                changes.inserted.append(try company.row("Project", reference, values))
            }
        }
        for round in 0..<12 {
            try change(engine, company, &chance, &versions, isFirst: round == 0)
            for number in 0..<60 {
                try check(engine, company, &chance, "seed \(seed), round \(round), query \(number)")
            }
        }
    }

    /// Saves some insertions, updates and deletions.
    private func change(
        _ engine: TableEngine, _ company: Company, _ chance: inout Chance,
        _ versions: inout [Int64: (version: UInt32, isEmployee: Bool)], isFirst: Bool
    ) throws {
        var changes = ChangeSet()
        var touched: Set<Int64> = []
        for reference in versions.keys.sorted() where Int.random(in: 0..<20, using: &chance.random) == 0 {
            guard let (version, isEmployee) = versions[reference] else { continue }
            touched.insert(reference)
            if chance.pick([true, false, false]) {
                let entity = try company.entity(isEmployee ? "Employee" : "Person").index
                changes.deleted.append(RowDeletion(entity: entity, reference: reference, expectedVersion: version))
                versions[reference] = nil
            } else {
                changes.updated.append(company.update(try chance.row(reference, version: version + 1, isEmployee: isEmployee)))
                versions[reference] = (version + 1, isEmployee)
            }
        }
        for _ in 0..<(isFirst ? 300 : 12) {
            let reference = Int64.random(in: 1...600, using: &chance.random)
            guard versions[reference] == nil, touched.insert(reference).inserted else { continue }
            let isEmployee = chance.pick([true, false])
            changes.inserted.append(try chance.row(reference, isEmployee: isEmployee))
            versions[reference] = (1, isEmployee)
        }
        let people = versions.keys.sorted()
        let friends = try #require(company.entity("Person").relationship(named: "friends")?.storage.linkTable)
        let projects = try #require(company.entity("Person").relationship(named: "projects")?.storage.linkTable)
        for _ in 0..<40 {
            let (a, b) = (chance.pick(people), chance.pick(people))
            changes.links.append(LinkChange(table: friends.table, kind: .put, link: Link(first: a, second: b)))
            changes.links.append(LinkChange(table: friends.table, kind: .put, link: Link(first: b, second: a)))
            let project = chance.pick([Int64(1), 2, 3])
            let link = projects.side == .first ? Link(first: a, second: project) : Link(first: project, second: a)
            changes.links.append(LinkChange(table: projects.table, kind: .put, link: link))
        }
        let conflicts = try engine.save { $0 = changes }
        #expect(conflicts.isEmpty)
    }

    private func check(_ engine: TableEngine, _ company: Company, _ chance: inout Chance, _ story: String) throws {
        let entity = chance.pick(["Person", "Employee"])
        let predicate = try chance.predicate(entity)
        var plan = try company.plan(entity, predicate)
        plan.includesSubentities = chance.pick([true, true, false])
        for _ in 0..<chance.pick([0, 0, 1, 1, 2]) {
            plan.sort.append(
                try company.sort(entity, chance.pick(["name", "age", "score", "department.name"]), ascending: chance.pick([true, false])))
        }
        if chance.pick([true, false]) { plan.limit = chance.pick([0, 1, 5, 1000]) }
        plan.offset = chance.pick([0, 0, 3])
        if chance.pick([true, false, false, false]) { plan.predicate = nil }
        let (found, expected) = try engine.read { reader in
            let all = try reader.execute(FetchPlan(company.entity("Person")))
            guard case .rows(let rows, _) = all else { return ([Int64](), [Int64]()) }
            let test = plan.predicate.map { RowPredicate($0) }
            var passing = try rows.filter { row in
                try plan.entities.contains(row.entityIndex) && test?.passes(row, reader) ?? true
            }
            try RowOrder(plan.sort).sort(&passing, reader)
            guard case .rows(let found, _) = try reader.execute(plan) else { return ([], []) }
            return (found.map(\.reference), plan.slice(passing).map(\.reference))
        }
        let count = try engine.count(plan)
        let order = plan.sort.map { "\($0.path.text) \($0.ascending)" }
        let story = "\(story): \(entity) where \(predicate), \(order), limit \(plan.limit ?? -1)"
        #expect(found == expected, "\(story)")
        #expect(count == expected.count, "\(story)")
    }

    @Test("A change in an index that was made is found, one by one")
    func incremental() throws {
        let company = try Company()
        let engine = try company.engine()
        try engine.save { changes in
            changes.inserted = try (1...2000).map { try company.row("Person", $0, ["name": .string("a long name, number \($0 % 100)")]) }
        }
        let plan = try company.plan("Person", Key<String>("name") == "a long name, number 42")
        #expect(try engine.count(plan) == 20)
        for step in Int64(1)...50 {
            try engine.save { changes in
                changes.updated = [company.update(try company.row("Person", step * 2, version: 2, ["name": "a long name, number 42"]))]
                changes.inserted = [try company.row("Person", 5000 + step, ["name": "a long name, number 43"])]
            }
        }
        // 42 itself had the name already.
        #expect(try engine.count(plan) == 69)
        #expect(try engine.count(company.plan("Person", Key<String>("name") == "a long name, number 43")) == 70)
        #expect(try engine.count(company.plan("Person", Key<String>("name").beginsWith("a long name, number 4"))) > 139)
    }

    @Test("IDs of another store, and temporary ones, find nothing")
    func foreignIDs() throws {
        let company = try Company()
        let engine = try company.engine()
        try engine.save { $0.inserted = [try company.row("Person", 1, ["department": 1])] }
        let person = try company.entity("Person")
        let foreign = Value.objectID(ObjectID(scope: ObjectIDScope(storeID: "x", entity: person), reference: 1))
        let temporary = Value.objectID(ObjectID(scope: ObjectIDScope(storeID: nil, entity: person), reference: -1))
        let own = Value.objectID(ObjectID(scope: ObjectIDScope(storeID: engine.metadata.storeID, entity: person), reference: 1))
        #expect(try engine.count(company.plan("Person", QueryExpression.evaluatedObject == foreign)) == 0)
        #expect(try engine.count(company.plan("Person", QueryExpression.evaluatedObject == temporary)) == 0)
        #expect(try engine.references(company.plan("Person", QueryExpression.evaluatedObject.isIn([foreign, own, temporary, own]))) == [1])
    }
}

extension RelationshipDescription.Storage {
    /// The link table and the side of it, where the relationship is kept as links.
    fileprivate var linkTable: (table: Int, side: LinkSide)? {
        if case .links(let table, let side) = self { (table, side) } else { nil }
    }
}
