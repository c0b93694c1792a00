import Foundation
import Strata
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: bad input is refused by name, and changes nothing", .server, .timeLimit(.minutes(60)))
struct BadInputTests {
    let scratch: Scratch
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func coordinator(_ description: StoreDescription? = nil) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description ?? scratch.description)
        return coordinator
    }

    private func save(_ coordinator: PersistentStoreCoordinator, name: String) throws {
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue(name, forKey: "name")
        try context.save()
    }

    private func names(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")])
        return try ManagedObjectContext(coordinator).fetch(request).compactMap { try $0.value(forKey: "name") as? String }
    }

    @Test("A text with a NUL is refused, alone and among many others")
    func nul() throws {
        let coordinator = try coordinator()
        try save(coordinator, name: "Anna")
        try expectError(.wrongValue, message: "a text of PostgreSQL's cannot hold a NUL") { try save(coordinator, name: "a\0b") }
        let context = ManagedObjectContext(coordinator)
        for number in 0..<200 { try context.insert("Person").setValue(number == 150 ? "x\0" : "y", forKey: "name") }
        try expectError(.wrongValue) { try context.save() }
        #expect(try names(coordinator) == ["Anna"])
    }

    @Test(
        "Values that others wrote and no object can have are damage",
        arguments: ["_entity = 99", "token = NULL, _entity = -1"])
    func foreignValues(_ assignment: String) throws {
        let coordinator = try coordinator()
        try save(coordinator, name: "Anna")
        try scratch.run("UPDATE \(scratch.schema).person SET \(assignment)")
        try expectError(.corrupt, message: "a row of the table … is of an entity numbered …") {
            let store = try #require(coordinator.stores.first).backend
            let plan = FetchPlan(try #require(model.entity(named: "Person")))
            _ = try store.read { try $0.rows(root: plan.entity.index, references: [1]) }
        }
        try expectError(.corrupt, message: "a row of the table … is of no entity of the model") {
            let store = try #require(coordinator.stores.first).backend
            let root = try #require(model.entity(named: "Person")).index
            _ = try store.read { try $0.existing(root: root, references: [1]) }
        }
    }

    @Test("Values beyond what an attribute takes are read as they are, refused in words, or no value; nothing ends the process")
    func foreignNumbers() throws {
        let coordinator = try coordinator()
        try save(coordinator, name: "Anna")
        func value(_ key: String, _ assignment: String) throws -> Any? {
            try scratch.run("UPDATE \(scratch.schema).person SET \(assignment)")
            let context = ManagedObjectContext(coordinator)
            let person = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).first)
            return try person.value(forKey: key)
        }
        #expect(try value("age", "age = 1099511627776") as? Int == 1 << 40)
        #expect(try (value("balance", "balance = 'NaN'") as? Decimal)?.isNaN == true)
        for balance in ["'Infinity'", "10 ^ 300::numeric + 0.1"] {
            try expectError(.corrupt, message: "the column balance of the table … is not of the type that the store gave it") {
                _ = try value("balance", "balance = \(balance)")
            }
        }
        try scratch.run("UPDATE \(scratch.schema).person SET balance = 1")
        #expect(try value("height", "height = '-Infinity'") as? Double == -.infinity)
        #expect(try value("name", "name = repeat('ü', 100000)") as? String == String(repeating: "ü", count: 100_000))
        let store = try #require(coordinator.stores.first).backend
        // A row of a version that no save counts to was read, and each save of it a conflict, whatever the merge policy.
        for assignment in ["_version = -1", "_version = 1099511627776"] {
            try expectError(.corrupt, message: "a row of the table … has no reference, or no version") {
                _ = try value("name", assignment)
            }
            #expect(try !coordinator.verify(store).isEmpty)
        }
    }

    // It was said that the store had been brought to another version of its model, which no opening could put right.
    @Test("A store whose metadata was removed while it was open is damaged")
    func removedMetadata() throws {
        let coordinator = try coordinator()
        try save(coordinator, name: "Anna")
        try scratch.run("DELETE FROM \(scratch.schema).strata_metadata")
        try expectError(.corrupt) { _ = try names(coordinator) }
        try expectError(.corrupt) { try save(coordinator, name: "Ben") }
        try expectError(.corrupt) { _ = try self.coordinator() }
        #expect(try scratch.run("SELECT name FROM \(scratch.schema).person") == ["Anna"])
    }

    @Test(
        "A table that others gave other columns, or another type of them, is refused in words",
        arguments: [
            "ALTER COLUMN age TYPE integer", "ALTER COLUMN age TYPE text", "ALTER COLUMN name TYPE varchar(20)",
            "ALTER COLUMN born TYPE date USING NULL",
            "DROP COLUMN age", "ALTER COLUMN _entity TYPE bigint", "ALTER COLUMN token TYPE bytea USING NULL",
        ])
    func foreignColumns(_ change: String) throws {
        let coordinator = try coordinator()
        try save(coordinator, name: "Anna")
        for store in coordinator.stores { try coordinator.remove(store) }
        try scratch.run("UPDATE \(scratch.schema).person SET age = 7; ALTER TABLE \(scratch.schema).person \(change)")
        do {
            let again = try self.coordinator()
            #expect(try names(again) == ["Anna"])
            try save(again, name: "Ben")
        } catch let error as StoreError { #expect([.corrupt, .replaced, .wrongValue, .io].contains(error.code), "\(error)") }
    }

    @Test("A store of before there was a log gets one, unless its role may not make it")
    func withoutLog() throws {
        try save(try coordinator(), name: "Anna")
        let role = "role_\(UInt32.random(in: 0...UInt32.max))"
        defer { _ = try? scratch.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
        try scratch.run(
            """
            DROP TABLE \(scratch.schema).strata_changes; CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(scratch.schema) TO \(role); \
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(scratch.schema) TO \(role)
            """)
        let guest = StoreDescription.postgreSQL(
            scratch.url, schema: scratch.schema, credentials: ServerAddress.Credentials(user: role))
        try expectError(.denied, message: "the store lacks the table strata_changes, and the role may not make it") {
            _ = try coordinator(guest)
        }
        let again = try coordinator()
        try save(again, name: "Ben")
        #expect(try names(again) == ["Anna", "Ben"])
        #expect(try scratch.run("SELECT kind FROM \(scratch.schema).strata_changes") == ["insert"])
    }

    @Test("A schema of another program's that has tables of the same names is none of a store")
    func otherProgram() throws {
        try scratch.run("CREATE SCHEMA \(scratch.schema); CREATE TABLE \(scratch.schema).strata_metadata (mine integer)")
        let driver = scratch.description.driver
        try expectError(.foreign, message: "the schema … has tables that are not a store's") { _ = try coordinator() }
        try expectError(.foreign) { _ = try driver.metadata(at: scratch.location) }
        try expectError(.foreign) { try driver.destroy(at: scratch.location) }
        let other = try Scratch()
        _ = try coordinator(other.description)
        try expectError(.foreign) { try driver.replace(at: scratch.location, withStoreAt: other.location) }
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).strata_metadata") == ["0"])
    }

    @Test("Tables of others in the schema of a store stay, whatever happens to it")
    func neighbours() throws {
        _ = try coordinator()
        try scratch.run("CREATE TABLE \(scratch.schema).person_2 (mine integer); INSERT INTO \(scratch.schema).person_2 VALUES (1)")
        let other = try ManagedObjectModel { Entity("Person") { Attribute("title", .string) } }
        try PersistentStoreCoordinator(model: other).addStore(scratch.description)
        #expect(try scratch.run("SELECT mine FROM \(scratch.schema).person_2") == ["1"])
    }

    @Test("Damaged metadata are distinguished from those of another version")
    func metadata() throws {
        _ = try coordinator()
        let table = "\(scratch.schema).strata_metadata"
        try scratch.run("UPDATE \(table) SET content = substr(content, 1, length(content) - 1)")
        try expectError(.corrupt, message: "the metadata of the store are damaged") { _ = try coordinator() }
        try scratch.run("UPDATE \(table) SET format = 99")
        try expectError(.unsupportedVersion, message: "the layout of the store is of version 99") { _ = try coordinator() }
        try scratch.run("DELETE FROM \(table)")
        try expectError(.corrupt) { _ = try coordinator() }
    }

    @Test("A role without the right to make tables opens and changes a store, and is refused where it would have to make one")
    func rights() throws {
        _ = try coordinator()
        try scratch.asGuest { guest in
            func description(_ schema: String) -> StoreDescription {
                .postgreSQL(scratch.url, schema: schema, credentials: guest)
            }
            let coordinator = try coordinator(description(scratch.schema))
            try save(coordinator, name: "Anna")
            #expect(try names(coordinator) == ["Anna"])
            try expectError(.denied) { _ = try self.coordinator(description(scratch.schema + "_new")) }
            try expectError(.denied) { try scratch.description.driver.destroy(at: description(scratch.schema).location) }
            let other = try ManagedObjectModel { Entity("Person") { Attribute("title", .string) } }
            try expectError(.denied) { try PersistentStoreCoordinator(model: other).addStore(description(scratch.schema)) }
            #expect(try names(coordinator) == ["Anna"])
        }
    }

    @Test("What a session searches first makes no difference")
    func searchPath() throws {
        let evil = try Scratch()
        try scratch.run(
            """
            CREATE SCHEMA \(evil.schema); CREATE TABLE \(evil.schema).person (mine integer); \
            CREATE FUNCTION \(evil.schema).differ(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false'; \
            CREATE OPERATOR \(evil.schema).= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = \(evil.schema).differ); \
            CREATE FUNCTION \(evil.schema).hashtext(text) RETURNS integer LANGUAGE sql AS 'SELECT 1/0'
            """)
        let path = "&options=-csearch_path%3D\(evil.schema)%2Cpg_catalog"
        let coordinator = try coordinator(.postgreSQL(scratch.url + path, schema: scratch.schema))
        try save(coordinator, name: "Anna")
        let context = ManagedObjectContext(coordinator)
        let person = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).first)
        try person.setValue("Ben", forKey: "name")
        try context.save()
        #expect(try names(coordinator) == ["Ben"])
        #expect(try scratch.run("SELECT count(*) FROM \(evil.schema).person") == ["0"])
    }

    @Test("Names that no schema can have are refused", arguments: ["", "pg_mine", "a\0b", String(repeating: "x", count: 64)])
    func schemas(_ name: String) throws {
        try expectError(.wrongValue, message: "no schema can have the name of the store") {
            _ = try coordinator(.postgreSQL(scratch.url, schema: name))
        }
    }
}
