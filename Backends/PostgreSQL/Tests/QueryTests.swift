import Strata
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: what the server decides", .server)
struct QueryTests {
    @Test(
        "Conditions over relationships, on parts of texts and on entities are decided by the server",
        arguments: [
            "owner.name == 'a'", "owner.name == nil", "owner.age > 3", "NOT owner.name BEGINSWITH 'a'", "ANY owner.friends.age > 3",
            "owner.pets.@count > 1", "name CONTAINS 'a'", "name ENDSWITH 'a'",
            "SUBQUERY(owner.friends, $f, $f.age > 1 AND $f.name CONTAINS 'a').@count == 2", "entity.name == 'Pet'", "name LIKE 'a*?'",
            "owner.name LIKE '?b'", "name == owner.name", "owner.age + 1 > 3", "length:(name) > 2",
            "owner.age * 2 - 1 == owner.friends.@count",
            "owner.friends.@max.age > owner.age", "owner.friends.@sum.age > 10", "owner.friends.@avg.age < 2.5", "name CONTAINS owner.name",
            "owner.born - now() < 0", "owner.height / 2 > 1", "owner == owner",
        ])
    func decided(_ format: String) throws {
        let scratch = try Scratch()
        let model = try Sample.model()
        let description = scratch.description
        let store = try openStore(description, model: model)
        let pet = try #require(model.entity(named: "Pet"))
        var plan = FetchPlan(pet)
        plan.predicate = try QueryPredicate(format: format).resolved(for: pet, in: model)
        plan.sort = [try ResolvedSort(QuerySort("owner.name"), of: pet, in: model)]
        plan.limit = 2
        let found = try store.read { try $0.explain(plan) }
        #expect(found.remaining.isEmpty)
        #expect(found.isSorted)
        #expect(found.isSliced)
        #expect(!found.statementPlan.isEmpty)
    }

    @Test("Where case or diacritics do not matter, the server leaves nothing to the core that is ASCII and passes no test")
    func folded() throws {
        let scratch = try Scratch()
        let model = try Sample.model()
        let container = try PersistentContainer(model: model, stores: [scratch.description])
        let context = ManagedObjectContext(container.coordinator)
        for name in ["Ann", "bob", "BOB", "Bób", "eve"] { try context.insert("Person").setValue(name, forKey: "name") }
        try context.save()
        let store = try #require(container.coordinator.stores.first).backend
        let person = try #require(model.entity(named: "Person"))
        func names(_ format: String) throws -> (read: Int, found: Int) {
            var plan = FetchPlan(person)
            plan.predicate = try QueryPredicate(format: format).resolved(for: person, in: model)
            return try store.read { reader in
                guard case .rows(let read, _) = try reader.execute(plan), case .rows(let found, _) = try reader.answer(plan) else {
                    return (0, 0)
                }
                return (read.count, found.count)
            }
        }
        #expect(try names("name ==[c] 'BoB'") == (3, 2))
        #expect(try names("name BEGINSWITH[cd] 'bO'") == (3, 3))
        #expect(try names("name LIKE[d] '?ob'") == (2, 2))
    }

    @Test("What the server fails at, the core answers: numbers that leave their range, also where the snapshot is used on")
    func failing() throws {
        let scratch = try Scratch()
        let model = try Sample.model()
        let container = try PersistentContainer(model: model, stores: [scratch.description])
        let context = ManagedObjectContext(container.coordinator)
        for height in [1e300, 1] { try context.insert("Person").setValue(height, forKey: "height") }
        try context.save()
        let store = try #require(container.coordinator.stores.first).backend
        let person = try #require(model.entity(named: "Person"))
        var plan = FetchPlan(person, .count)
        plan.predicate = try QueryPredicate(format: "height * height > 2").resolved(for: person, in: model)
        try store.read { reader in
            for _ in 0..<2 {
                guard case .count(1) = try reader.answer(plan) else { return #expect(Bool(false)) }
                #expect(try reader.explain(plan).remaining.count == 1)
            }
        }
    }

    @Test("Groups by whole numbers and texts, also over a relationship, are the server's, and so are sums")
    func groups() throws {
        let scratch = try Scratch()
        let model = try Sample.model()
        let container = try PersistentContainer(model: model, stores: [scratch.description])
        let context = ManagedObjectContext(container.coordinator)
        for (name, age) in [("a", 1), ("a", 2), ("b", Int?.none)] as [(String, Int?)] {
            let object = try context.insert("Person")
            try object.setValue(name, forKey: "name")
            try object.setValue(age, forKey: "age")
            let pet = try context.insert("Pet")
            try pet.setValue(object, forKey: "owner")
        }
        try context.save()
        let store = try #require(container.coordinator.stores.first).backend
        let (person, pet) = (try #require(model.entity(named: "Person")), try #require(model.entity(named: "Pet")))
        func expression(_ path: String, _ entity: EntityDescription) throws -> ResolvedExpression {
            try QueryExpression.keyPath(path).resolved(for: entity, in: model)
        }
        var plan = FetchPlan(person)
        let age = try expression("age", person)
        plan.result = .groups(
            GroupPlan(
                keys: [try expression("name", person)],
                aggregates: [.init(.count, nil), .init(.sum, age), .init(.average, age), .init(.max, age)]))
        guard case .groups(let groups) = try store.read({ try $0.execute(plan) }) else { return #expect(Bool(false)) }
        let found = groups.map { group -> [Value] in
            let partials = group.partials
            return [group.keys[0], .int(Int64(partials[0].count)), partials[1].sum, .int(Int64(partials[2].count)), partials[3].max]
        }
        let expected: [[Value]] = [[.string("a"), .int(2), .int(3), .int(2), .int(2)], [.string("b"), .int(1), .null, .int(0), .null]]
        #expect(Set(found) == Set(expected))
        plan = FetchPlan(pet)
        let least = GroupPlan.Aggregate(.min, try expression("owner.age", pet))
        plan.result = .groups(GroupPlan(keys: [try expression("owner.name", pet)], aggregates: [least]))
        #expect(try store.read { try $0.explain(plan) }.isComputed)
        plan.result = .groups(GroupPlan(keys: [], aggregates: [.init(.sum, try expression("owner.height", pet))]))
        #expect(try store.read { try $0.explain(plan) }.isComputed)
    }
}
