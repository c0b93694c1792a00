import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore
import StrataTestModels
import StrataTestRandom
import Testing

@testable import StrataSQLite

/// A store of people, departments and projects with every kind of relationship, and values of every kind, missing ones among them.
final class Firm {
    let model: ManagedObjectModel
    let store: any StoreBackend
    let person: EntityDescription
    private let sandbox: Sandbox

    static let collectionFormats = [
        "ANY reports.age > 2", "ALL reports.age > 2", "NONE reports.age > 2", "ANY reports.name == nil", "ALL reports.name BEGINSWITH 'a'",
        "ANY reports.boss.age < age", "ANY reports.reports.age == 1", "ANY reports.projects.title CONTAINS 'x'",
        "ANY projects.members.age > 3", "ANY projects.cost > 2", "ANY dept.people.age == 0", "ANY dept.parent.people.rate < 1",
        "ANY boss.reports.name == name", "NOT ANY projects.title == nil", "reports.@count == 0", "reports.@count > projects.@count",
        "reports.age.@sum >= 4", "reports.age.@avg < 2", "reports.age.@min == 0", "projects.cost.@max > 1", "reports.rate.@min < 1",
        "reports.@max.name > 'a'", "dept.people.@count > 5", "dept.people.@avg.age > boss.age", "reports.born.@max != nil",
        "SUBQUERY(reports, $r, $r.age > 1 AND $r.name != nil).@count > 0", "SUBQUERY(reports, $r, $r.age == age).@count == 1",
        "SUBQUERY(reports, $r, SUBQUERY($r.projects, $p, $p.cost > $r.age AND $p.title != name).@count > 0).@count > 0",
        "SUBQUERY(projects, $p, ANY $p.members.age > age).@count == 2", "SUBQUERY(dept.people, $x, $x == SELF).@count == 1",
        "SUBQUERY(dept, $d, $d.budget > 1).@count == 1", "SUBQUERY(reports.dept, $d, $d.budget > 1).@count > 0",
        "SUBQUERY(reports, $r, $r.boss == SELF).@count == reports.@count", "age IN reports.age", "reports.name CONTAINS 'a'",
        "SELF IN dept.people", "boss IN projects.members", "ANY chief.staff.age > 2", "ANY friends.friends.name == 'a'",
        "friends.@count == 2",
        "SUBQUERY(reports, $r, $r.age > 1).age.@sum > 2", "ANY reports.rate == nil AND dept.name LIKE '*a*'",
        "ANY reports.name IN {'a', 'b'}", "ANY reports.age BETWEEN {1, 2}", "ALL projects.members.dept.budget > 1",
    ]

    static let expressionFormats = [
        "age + 1 > 2", "age - boss.age == 0", "age * 2 >= age + 3", "age / 2 == 1", "age / 0 == nil", "modulus:by:(age, 2) == 1",
        "-age < 0",
        "abs(age - 2) == 1", "wide + wide > 1", "wide * 3 == 0", "abs(wide) > 1", "-wide > 0", "wide / -1 < 0", "rate * 2 > age",
        "rate + rate == 1", "rate / 2 < 1", "rate - rate == 0", "rate * 0 == nil", "rate == boss.rate", "rate / 0 == nil",
        "boss.age == rate / 0", "rate < dept.budget", "age == rate",
        "age != rate", "name == boss.name", "name < boss.name", "name CONTAINS boss.name", "name BEGINSWITH[c] dept.name",
        "name ==[cd] boss.name", "name !=[c] dept.name", "lowercase(name) == 'a'", "uppercase(name) BEGINSWITH 'A'",
        "canonical(name) == 'a'", "length(name) > 1", "length(name) == age", "floor(rate) == 0", "ceiling(rate) > age",
        "trunc(rate) == nil",
        "sqrt(age) > 1", "bitwiseAnd:with:(age, 1) == 1", "bitwiseOr:with:(age, 4) > 5", "bitwiseXor:with:(wide, age) > 2",
        "onesComplement(age) < -2",
        "leftshift:by:(age, 2) > 4", "rightshift:by:(wide, age) > 4", "TERNARY(age > 1, age, boss.age) == 2",
        "TERNARY(name == nil, 'x', name) == 'x'",
        "age BETWEEN {boss.age, 3}", "age BETWEEN {1, boss.age + 1}", "age IN {boss.age, 1}", "name IN {boss.name, 'a'}", "born > now()",
        "born - 1 < boss.born", "CAST(age, 'NSString') == '2'", "CAST(name, 'NSDate') == nil", "boss == SELF", "boss.boss != boss",
        "'abc' CONTAINS name", "name IN 'abc'", "noindex(age) == 2", "active == boss.active", "active == age", "rate >= active",
        "characterCount:(name) == 1",
        "tag == boss.tag", "born == boss.born",
        "2 < age", "age + 1 == nil", "age + 1 != nil", "age + 1 IN {1, 2}", "length(name) BETWEEN {1, 2}", "modulus:by:(wide, 3) == 1",
    ]

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") {
                Attributes([
                    "name": .string, "age": .integer32, "wide": .integer64, "rate": .double, "pay": .decimal, "born": .date,
                    "active": .boolean, "tag": .uuid,
                ])
                Relationships([
                    "boss": .toOne("Person.reports"), "reports": .toMany("Person.boss"), "chief": .toOne("Manager.staff"),
                    "dept": .toOne("Dept.people"), "projects": .toMany("Project.members"), "friends": .toMany("Person.friends"),
                ])
                FetchIndex("byAge", on: "age")
            }
            Entity("Manager", parent: "Person", attributes: ["bonus": .integer32], relationships: ["staff": .toMany("Person.chief")])
            Entity("Dept") {
                Attributes(["name": .string, "budget": .double])
                Relationships([
                    "people": .toMany("Person.dept"), "parent": .toOne("Dept.children"), "children": .toMany("Dept.parent"),
                ])
            }
            Entity("Project") {
                Attributes(["title": .string, "cost": .integer64])
                Relationship("members", to: "Person", inverse: "projects", .ordered)
            }
        }
        sandbox = try Sandbox()
        store = try open(sandbox.path(), model)
        person = try #require(model.entity(named: "Person"))
        #expect(try store.save(try Firm.changes(model)).isEmpty)
    }

    private static func changes(_ model: ManagedObjectModel) throws -> ChangeSet {
        var generator = SeededGenerator(seed: 5)
        let texts: [Value] = [.null, "", "a", "A", "ab", "b", "ä", "a\u{308}", "b\u{0}c", "x\"y", "zz", "a10", "a9", "ß", "SS"]
        var changes = ChangeSet()
        for reference in 1...60 {
            var values: [String: Value] = [
                "name": generator.pick(texts), "age": generator.pick([.null, 0, 1, 2, 3, 4]),
                "wide": generator.pick([.null, 0, 1, .int(.max), .int(.min), 7]),
                "rate": generator.pick([.null, .double(.nan), .double(.infinity), -1.5, 0, 0.5, 1, 2.5]),
                "pay": generator.pick([.null, .decimal(1), .decimal(try #require(Decimal(string: "1.10"))), .decimal(.nan)]),
                "active": generator.pick([.null, true, false]), "boss": generator.pick([.null, 1, 2, 3, 4, 5, 6, 9999]),
                "chief": generator.pick([.null, 4, 8]),
                "dept": generator.pick([.null, 1, 2, 3, 77]), "bonus": generator.pick([.null, 1, 2, 3, 4]),
                "born": generator.pick([
                    .null, .date(Date(timeIntervalSinceReferenceDate: 1)), .date(Date(timeIntervalSinceReferenceDate: 2.5)),
                ]),
            ]
            if generator.next() % 3 != 0 {
                values["tag"] = .uuid(UUID(uuid: (UInt8(generator.next() % 2), 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
            }
            values["boss.entity"] = "Person"
            changes.inserted.append(try row(model, reference % 4 == 0 ? "Manager" : "Person", Int64(reference), values))
        }
        for reference in 1...3 {
            changes.inserted.append(
                try row(
                    model, "Dept", Int64(reference),
                    [
                        "name": generator.pick(texts), "budget": [.null, 1.5, .double(.nan)][reference - 1],
                        "parent": generator.pick([.null, 1, 2, 3]),
                    ]))
        }
        for reference in 1...6 {
            changes.inserted.append(
                try row(model, "Project", Int64(reference), ["title": generator.pick(texts), "cost": generator.pick([.null, 0, 1, 2, 3])]))
        }
        for table in model.linkTables {
            var made: Set<[Int64]> = []
            for _ in 0..<90 {
                let ends = [table.first, table.second].map { end -> Int64 in
                    let name = model.entities[end.entity].name
                    return Int64(generator.next() % (name == "Project" ? 6 : 60)) + 1
                }
                guard made.insert(ends).inserted else { continue }
                changes.links.append(LinkChange(table: table.index, kind: .put, link: Link(first: ends[0], second: ends[1])))
            }
        }
        return changes
    }

    // MARK: - Asking

    func plan(_ entity: String, _ format: String) throws -> FetchPlan { try plan(entity, QueryPredicate(format: format)) }

    func plan(_ entity: String, _ predicate: QueryPredicate) throws -> FetchPlan {
        let entity = try #require(model.entity(named: entity))
        var plan = FetchPlan(entity)
        plan.predicate = try predicate.resolved(for: entity, in: model)
        return plan
    }

    func compiled(_ plan: FetchPlan) throws -> StrataSQLite.CompiledPlan {
        let store = try #require(store as? SQLiteStore)
        return store.compile(plan, try #require(store.schema.table(of: plan.entity)))
    }

    /// The answer after the core finished the plan, over the rows as SQL answers them or over all.
    private func answer(_ plan: FetchPlan, inCore: Bool) throws -> StoreAnswer {
        try store.read { reader in
            var all = FetchPlan(plan.entity)
            all.includesSubentities = plan.includesSubentities
            let answer = try reader.execute(inCore ? all : plan)
            guard case .rows(let rows, let remainder) = answer else { return answer }
            let rest = Remainder(predicate: plan.predicate, needsSort: true, needsSlice: true)
            return try PlanEvaluator.finish(plan, rows, remainder: inCore ? rest : remainder, with: reader)
        }
    }

    func fetch(_ plan: FetchPlan) throws -> [Int64] { try references(plan, inCore: false) }
    func fetchInCore(_ plan: FetchPlan) throws -> [Int64] { try references(plan, inCore: true) }

    private func references(_ plan: FetchPlan, inCore: Bool) throws -> [Int64] {
        guard case .rows(let rows, _) = try answer(plan, inCore: inCore) else { return [-1] }
        return rows.map(\.reference)
    }

    /// The number of rows that meet a plan's condition.
    func count(_ plan: FetchPlan) throws -> Int {
        var plan = plan
        plan.result = .rows
        return try fetch(plan).count
    }

    func values(_ plan: FetchPlan) throws -> [[Value]] { try tuples(plan, inCore: false) }
    func valuesInCore(_ plan: FetchPlan) throws -> [[Value]] { try tuples(plan, inCore: true) }

    private func tuples(_ plan: FetchPlan, inCore: Bool) throws -> [[Value]] {
        guard case .values(let tuples) = try answer(plan, inCore: inCore) else { return [] }
        // What evaluates objects answers their IDs, what reads columns their references.
        return tuples.map { tuple in
            tuple.map { value in if case .objectID(let id) = value { .int(id.reference) } else { value } }
        }
    }

    func groups(_ plan: FetchPlan, _ function: AggregateFunction) throws -> [String] { try groups(plan, function, inCore: false) }
    func groupsInCore(_ plan: FetchPlan, _ function: AggregateFunction) throws -> [String] { try groups(plan, function, inCore: true) }

    private func groups(_ plan: FetchPlan, _ function: AggregateFunction, inCore: Bool) throws -> [String] {
        guard case .groups(let groups) = try answer(plan, inCore: inCore) else { return [] }
        return try groups.map { group in
            let keys = group.keys.map { value in if case .objectID(let id) = value { Value.int(id.reference) } else { value } }
            return "\(keys) \(try group.partials[0].value(of: .count)) \(try group.partials[1].value(of: function))"
        }.sorted()
    }
}
