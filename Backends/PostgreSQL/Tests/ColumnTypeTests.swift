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

    /// Types of the same width, types that round, and types that the server does not convert to.
    private static let others = [
        ("age", "float8"), ("height", "bigint"), ("born", "timestamptz USING now()"), ("photo", "text USING ''"), ("balance", "float8"),
        ("balance", "numeric(30,1)"),
    ]

    private func expectRefusal(_ column: String, of table: String = "person", _ body: () throws -> Void) throws {
        try expectError(.corrupt, message: "the column \(column) of the table \(table) is not of the type that the store gave it", body)
    }

    // COPY took the bytes of an integer for those of a double, the server rounded the values of other statements, and the save succeeded.
    @Test(
        "New rows for a table with a column of another type are refused, nothing is stored, and the connection stays usable",
        arguments: others + [("_version", "float8")], [1, 20])
    func insertions(_ other: (column: String, type: String), _ count: Int) throws {
        try alter("person", "\"\(other.column)\" TYPE \(other.type)")
        let context = ManagedObjectContext(coordinator)
        for number in 0..<count { try context.insert("Person").setValue(number, forKey: "age") }
        try expectRefusal(other.column) { try context.save() }
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person") == ["2"])
        context.rollback()
        for number in 0..<count { try context.insert("Pet").setValue("\(number)", forKey: "name") }
        try context.save()
        #expect(try fetch("Pet").count == count + 1)
    }

    @Test("Changes of a column of another type are refused, single ones and those of a batch", arguments: others)
    func updates(_ column: String, _ type: String) throws {
        let context = ManagedObjectContext(coordinator)
        let person = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).first)
        let value: Value =
            switch column {
            case "born": .date(Date(timeIntervalSinceReferenceDate: 10))
            case "photo": .data(Data([1, 2]))
            case "balance": .decimal(1.25)
            case "height": .double(8.5)
            default: .int(8)
            }
        try person.setValue(value, forKey: column)
        try alter("person", "\"\(column)\" TYPE \(type)")
        let before = try scratch.run("SELECT \"\(column)\"::text FROM \(scratch.schema).person ORDER BY _id")
        try expectRefusal(column) { try context.save() }
        let request = BatchUpdateRequest(entityName: "Person", set: [column: value])
        try expectRefusal(column) { _ = try context.execute(request) }
        #expect(try scratch.run("SELECT \"\(column)\"::text FROM \(scratch.schema).person ORDER BY _id") == before)
    }

    @Test("Links into a table with a column of another type are refused")
    func newLinks() throws {
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person"))
        for person in people { try person.setValue(Set(people), forKey: "friends") }
        try alter("person_friends", "person_id_2 TYPE float8")
        try expectRefusal("person_id_2", of: "person_friends") { try context.save() }
    }

    private func damagedRows() throws -> [Int64?] {
        try coordinator.verify(try #require(coordinator.stores.first)).filter { $0.kind == .value && $0.entity == "Person" }.map(
            \.reference)
    }

    // They were read as nil, without an error.
    @Test("Numbers that no decimal attribute can have are damage", arguments: ["repeat('9', 5000)::numeric", "'infinity'"])
    func numbers(_ number: String) throws {
        try scratch.run("UPDATE \(scratch.schema).person SET balance = \(number) WHERE _id = 1")
        try expectRefusal("balance") { _ = try fetch("Person") }
        #expect(try damagedRows() == [1])
    }

    // The text of the column was read, of whatever type it was. Then the failure of the server ended the transaction of a verification,
    // which threw what its next statement failed with.
    @Test("A decimal column of another type is damage, and a verification lists the rows")
    func decimals() throws {
        try alter("person", "balance TYPE float8")
        try expectError(.corrupt, message: "a column is not of the type that the store gave it: …") { _ = try fetch("Person") }
        #expect(try damagedRows() == [1, 2])
    }

    // The server's message was `replaced`, which is mended by opening the store again, and it came back after each opening.
    @Test(
        "A relation or column that another program dropped is missing when the store is opened again",
        arguments: [
            ("DROP TABLE S.person CASCADE", "the table person is missing", "Person", nil),
            ("ALTER TABLE S.person DROP COLUMN name", "the table person has no column name", "Person", "name"),
            ("ALTER TABLE S.person RENAME COLUMN _version TO other", "the table person has no column _version", "Person", nil),
            ("ALTER TABLE S.pet DROP COLUMN owner_id", "the table pet has no column owner_id", "Pet", "owner"),
            ("DROP SEQUENCE S.pet_reference", "the sequence pet_reference is missing", "Pet", nil),
            ("DROP TABLE S.person_friends", "the join table person_friends is missing", "Person", "friends"),
            (
                "ALTER TABLE S.person_friends DROP COLUMN person_id_2", "the table person_friends has no column person_id_2", "Person",
                "friends"
            ),
        ] as [(String, String, String, String?)])
    func dropped(_ statement: String, _ message: String, _ entity: String, _ key: String?) throws {
        try scratch.run(statement.replacing("S.", with: scratch.schema + "."))
        let again = PersistentStoreCoordinator(model: coordinator.model)
        let error = try expectError(.corrupt, message: message) { try again.addStore(scratch.description) }
        #expect(error.entity == entity)
        #expect(error.key == key)
        #expect(error.recovery == .permanent)
        let problems = try PersistentStoreCoordinator.verifyStore(scratch.description, model: coordinator.model)
        #expect(problems.map(\.message) == [message])
    }

    @Test("Many new rows into a table with a text of limited length are saved")
    func saveOfManyTexts() throws {
        try alter("person", "name TYPE varchar(20)")
        let context = ManagedObjectContext(coordinator)
        for number in 0..<20 { try context.insert("Person").setValue("\(number)", forKey: "name") }
        try context.save()
        #expect(try fetch("Person").count == 22)
    }

    @Test("A text with a limit is text")
    func varchar() throws {
        try alter("person", "name TYPE varchar(20)")
        #expect(try Set(fetch("Person").compactMap { try $0.value(forKey: "name") as? String }) == ["Anna", "Ben"])
        #expect(try coordinator.verify(try #require(coordinator.stores.first)).isEmpty)
    }
}
