import Strata
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: batches as single statements", .server)
struct PlanStatementTests {
    let scratch: Scratch
    let model: ManagedObjectModel
    let container: PersistentContainer
    let store: any StoreBackend
    let person: EntityDescription

    /// A store with `a`, whose friend is `b`, and `c`.
    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
        person = try #require(model.entity(named: "Person"))
        container = try PersistentContainer(model: model, stores: [scratch.description])
        let context = ManagedObjectContext(container.coordinator)
        let people = try ["a", "b", "c"].map { name in
            let object = try context.insert("Person")
            try object.setValue(name, forKey: "name")
            return object
        }
        try people[0].setValue(Set([people[1]]), forKey: "friends")
        try context.save()
        store = try #require(container.coordinator.stores.first).backend
    }

    private func plan(_ format: String, _ result: FetchPlan.Result) throws -> FetchPlan {
        var plan = FetchPlan(person)
        plan.predicate = try QueryPredicate(format: format).resolved(for: person, in: model)
        plan.result = result
        return plan
    }

    private func assignment(_ key: String, _ value: Value) throws -> RowAssignments {
        let attribute = try #require(person.attribute(named: key))
        let slot = try #require(attribute.slot)
        var writer = RowWriter()
        writer.begin(person, reference: 0, version: 0)
        writer.set(value, at: slot, attribute.slotKind)
        return RowAssignments(template: writer.finish(), slots: [slot], computations: [])
    }

    private func log() throws -> [String] {
        try scratch.run("SELECT kind || ' ' || relation || ' ' || COALESCE(refs::text, '') FROM \(scratch.schema).strata_changes")
    }

    @Test("Rows that a condition over a relationship selects are changed by one statement, get another version, and are in the log")
    func update() throws {
        let before = try log().count
        let transaction = try store.beginWrite()
        let answer = try transaction.update(plan("ANY friends.name == 'b'", .references), assignment("age", .int(7)))
        guard case .references(let changed)? = answer else { return #expect(Bool(false), "\(String(describing: answer))") }
        try transaction.commit()
        #expect(try scratch.run("SELECT name FROM \(scratch.schema).person WHERE age = 7 AND _version = 2") == ["a"])
        #expect(try log().dropFirst(before) == ["update person {\(changed.map { "\($0.reference)" }.joined())}"])
    }

    @Test("Rows that a condition selects are deleted by one statement, and their links with them")
    func delete() throws {
        let transaction = try store.beginWrite()
        guard case .count(2)? = try transaction.delete(plan("name < 'c'", .count)) else { return #expect(Bool(false)) }
        try transaction.commit()
        #expect(try scratch.run("SELECT name FROM \(scratch.schema).person") == ["c"])
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person_friends") == ["0"])
    }

    // Foreign keys took the links with the rows, before anybody looked whether there were any: who listens was not told.
    @Test("Links that go with deleted objects are in the log", arguments: [true, false])
    func loggedLinks(atOnce: Bool) throws {
        try scratch.run("DELETE FROM \(scratch.schema).strata_changes")
        let transaction = try store.beginWrite()
        if atOnce {
            #expect(try transaction.delete(plan("name == 'a'", .count)) != nil)
        } else {
            let references = try scratch.run("SELECT _id FROM \(scratch.schema).person WHERE name = 'a'")
            let reference = try #require(references.first.flatMap { Int64($0) })
            var changes = ChangeSet()
            changes.deleted = [RowDeletion(entity: person.index, reference: reference, expectedVersion: 1)]
            #expect(try transaction.apply(changes).isEmpty)
        }
        try transaction.commit()
        #expect(try log().contains("link person_friends "))
    }

    private func computation(_ key: String, _ format: String) throws -> RowAssignments {
        let attribute = try #require(person.attribute(named: key))
        let expression = try QueryExpression(format: format).resolved(for: person, in: model)
        var writer = RowWriter()
        writer.begin(person, reference: 0, version: 0)
        return RowAssignments(template: writer.finish(), slots: [], computations: [.init(attribute, expression)])
    }

    @Test("Values that are computed of each row as it was are one statement; where one does not fit, nothing is changed")
    func computed() throws {
        let transaction = try store.beginWrite()
        #expect(try transaction.update(plan("name < 'c'", .count), assignment("age", .int(7))) != nil)
        guard case .count(2)? = try transaction.update(plan("age == 7", .count), computation("age", "age * 3 + friends.@count")) else {
            return #expect(Bool(false))
        }
        #expect(try transaction.update(plan("age > 0", .count), computation("age", "age * 1000000000")) == nil)
        #expect(try transaction.update(plan("age > 0", .count), computation("height", "age / 2 + 0.5")) != nil)
        #expect(try transaction.update(plan("age > 0", .count), computation("email", "name")) == nil)
        try transaction.commit()
        let rows = try scratch.run("SELECT name || ' ' || age || ' ' || height FROM \(scratch.schema).person WHERE age > 0 ORDER BY name")
        #expect(rows == ["a 22 11.5", "b 22 11.5"])
    }

    @Test("What only the core decides, and what has to be unique, is left to the core")
    func left() throws {
        let transaction = try store.beginWrite()
        #expect(try transaction.update(plan("name LIKE[c] 'A*'", .count), assignment("age", .int(7))) == nil)
        #expect(try transaction.update(plan("name == 'a'", .count), assignment("email", .string("e"))) == nil)
        #expect(try transaction.delete(plan("name LIKE[c] 'A*'", .count)) == nil)
        transaction.rollback()
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person WHERE age IS NULL") == ["3"])
    }
}
