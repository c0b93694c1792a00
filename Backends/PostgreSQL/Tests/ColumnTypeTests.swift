import Foundation
import Strata
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

// The widths of values were compared, not the types that the server names: another type of the same width was read as another value.
@Suite("PostgreSQL: columns whose type another program changed", .server, .timeLimit(.minutes(60)))
struct ColumnTypeTests {
    let scratch: Scratch
    let coordinator: PersistentStoreCoordinator

    init() throws {
        scratch = try Scratch()
        coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        let people = try ["Anna", "Ben"].map { name in
            let person = try context.insert("Person")
            try person.setValue(name, forKey: "name")
            try person.setValue(5, forKey: "age")
            try person.setValue(7.0, forKey: "height")
            try person.setValue(Date(timeIntervalSinceReferenceDate: 9), forKey: "born")
            try person.setValue(true, forKey: "isMember")
            return person
        }
        try people[0].setValue(Set([people[1]]), forKey: "friends")
        let pet = try context.insert("Pet")
        try pet.setValue("four", forKey: "name")
        try pet.setValue(people[0], forKey: "owner")
        try context.save()
    }

    private func alter(_ table: String, _ change: String) throws {
        // No column of a foreign key is changed to a type that its destination has not.
        let keys = try scratch.run(
            """
            SELECT pg_catalog.format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint \
            WHERE contype = 'f' AND connamespace = '\(scratch.schema)'::regnamespace
            """)
        for key in keys { try scratch.run(key) }
        try scratch.run("ALTER TABLE \(scratch.schema).\(table) ALTER COLUMN \(change)")
    }

    private func fetch(_ entity: String) throws -> [ManagedObject] {
        try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: entity))
    }

    @Test(
        "A row with a value of another type of the same width is damaged, in an open store and a reopened one, and verification names the column",
        arguments: [
            ("age", "float8"), ("height", "bigint"), ("born", "timestamptz USING now()"), ("school", "int4 USING 8"),
            ("school", "bytea USING school::bytea"), ("isMember", #""char" USING 'x'"#), ("photo", "text USING ''"), ("_version", "float8"),
        ])
    func rows(_ column: String, _ type: String) throws {
        let name = column == "isMember" ? "ismember" : column
        let found = try scratch.run(
            "SELECT attname FROM pg_attribute WHERE attrelid = '\(scratch.schema).person'::regclass AND lower(attname) IN ('\(name)', 'is_member')"
        )
        let stored = try #require(found.first)
        try alter("person", "\"\(stored)\" TYPE \(type)")
        let message = "the column \(stored) of the table person is not of the type that the store gave it"
        let store = try #require(coordinator.stores.first)
        #expect(try coordinator.verify(store).contains { $0.description.contains(message) })
        try expectError(.corrupt, message: message) { _ = try fetch("Person") }
        let again = PersistentStoreCoordinator(model: coordinator.model)
        try again.addStore(scratch.description)
        try expectError(.corrupt, message: message) {
            _ = try ManagedObjectContext(again).fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person"))
        }
    }

    @Test("Aggregates, groups and selected values of another type of the same width are damage")
    func groups() throws {
        try alter("person", "age TYPE float8")
        let store = try #require(coordinator.stores.first).backend
        let person = try #require(coordinator.model.entity(named: "Person"))
        let age = try QueryExpression.keyPath("age").resolved(for: person, in: coordinator.model)
        let results: [FetchPlan.Result] = [
            .groups(GroupPlan(keys: [age], aggregates: [.init(.count, nil)])), .groups(GroupPlan(keys: [], aggregates: [.init(.max, age)])),
            .values(ValuePlan([age])), .values(ValuePlan([age], isDistinct: true)),
        ]
        for result in results {
            var plan = FetchPlan(person)
            plan.result = result
            try expectError(.corrupt, message: "the column … of the table person is not of the type that the store gave it") {
                _ = try store.read { try $0.execute(plan) }
            }
        }
    }

    @Test("References and links of another type of the same width are damage")
    func links() throws {
        try alter("person_friends", "person_id_2 TYPE float8")
        try expectError(.corrupt, message: "the column person_id_2 of the table person_friends is not of the type that the store gave it") {
            let store = try #require(coordinator.stores.first).backend
            let link = try #require(coordinator.model.linkTables.first)
            _ = try store.read { try $0.links(of: link) }
        }
        try alter("pet", "owner_id TYPE float8")
        try expectError(.corrupt) { _ = try fetch("Pet") }
    }

    @Test("A text with a limit is text")
    func varchar() throws {
        try alter("person", "name TYPE varchar(20)")
        #expect(try Set(fetch("Person").compactMap { try $0.value(forKey: "name") as? String }) == ["Anna", "Ben"])
        #expect(try coordinator.verify(try #require(coordinator.stores.first)).isEmpty)
    }
}
