import Strata
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: stores are made, opened and refused", .server, .timeLimit(.minutes(60)))
struct OpeningTests {
    private func save(_ description: StoreDescription, _ model: ManagedObjectModel, name: String) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue(name, forKey: "name")
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    private func names(_ description: StoreDescription, _ model: ManagedObjectModel) throws -> [String] {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        let found = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")]))
        return try found.compactMap { try $0.value(forKey: "name") as? String }
    }

    @Test("A store is made where there is none, and found again, with names that people write without quotes")
    func making() throws {
        let (scratch, model) = (try Scratch(), try Sample.model())
        try save(scratch.description, model, name: "Anna")
        try save(scratch.description, model, name: "Ben")
        #expect(try names(scratch.description, model) == ["Anna", "Ben"])
        #expect(try scratch.run("SELECT name FROM \(scratch.schema).person ORDER BY _id") == ["Anna", "Ben"])
        #expect(try scratch.run("SELECT is_member FROM \(scratch.schema).person") == ["", ""])
    }

    @Test("The columns of a table lie in the order of their alignment, so that no bytes lie idle between those of a fixed width")
    func alignment() throws {
        let (scratch, model) = (try Scratch(), try Sample.model())
        try save(scratch.description, model, name: "Anna")
        let columns = try scratch.run(
            """
            SELECT attalign::text || CASE WHEN attlen < 0 THEN ' ' ELSE '' END FROM pg_attribute \
            WHERE attrelid = '\(scratch.schema).person'::regclass AND attnum > 0 ORDER BY attnum
            """)
        #expect(columns.count > 12)
        let order = ["d", "i", "c", "i "]
        #expect(columns == order.flatMap { kind in columns.filter { $0 == kind } })
    }

    @Test("A schema that holds something else is refused, and stays as it was")
    func foreign() throws {
        let scratch = try Scratch()
        try scratch.run("CREATE SCHEMA \(scratch.schema); CREATE TABLE \(scratch.schema).mine (a integer)")
        try expectError(.foreign, message: "the schema … of … has tables that are not a store's") {
            try save(scratch.description, Sample.model(), name: "x")
        }
        try expectError(.foreign) { _ = try scratch.description.driver.metadata(at: scratch.location) }
        try expectError(.foreign) { try scratch.description.driver.destroy(at: scratch.location) }
        #expect(try scratch.run("SELECT relname FROM pg_class WHERE relnamespace = '\(scratch.schema)'::regnamespace") == ["mine"])
    }

    @Test("A store of another model is refused with what differs, unless it is migrated")
    func otherModel() throws {
        let scratch = try Scratch()
        try save(scratch.description, Sample.model(), name: "x")
        let other = try ManagedObjectModel { Entity("Person") { Attribute("title", .string) } }
        var description = scratch.description
        description.shouldMigrateStoreAutomatically = false
        let error = try expectError(.incompatibleModel) { try PersistentStoreCoordinator(model: other).addStore(description) }
        #expect(error.cocoaCode == 134100)
        #expect(error.metadata?.versionHashes["Pet"] != nil)
    }

    @Test("A store that is read only is not made, and not written")
    func readOnly() throws {
        let (scratch, model) = (try Scratch(), try Sample.model())
        var description = scratch.description
        description.isReadOnly = true
        try expectError(.missing) { try PersistentStoreCoordinator(model: model).addStore(description) }
        #expect(try scratch.run("SELECT count(*) FROM pg_namespace WHERE nspname = '\(scratch.schema)'") == ["0"])
        try save(scratch.description, model, name: "x")
        try expectError(.readOnly) { try save(description, model, name: "y") }
    }

    @Test("A destroyed store is removed with its schema, and other programs' tables stay")
    func destroying() throws {
        let (scratch, model) = (try Scratch(), try Sample.model())
        try save(scratch.description, model, name: "x")
        try scratch.description.driver.destroy(at: scratch.location)
        #expect(try scratch.run("SELECT count(*) FROM pg_namespace WHERE nspname = '\(scratch.schema)'") == ["0"])
        try save(scratch.description, model, name: "y")
        try scratch.run("CREATE TABLE \(scratch.schema).mine (a integer)")
        try scratch.description.driver.destroy(at: scratch.location)
        #expect(try scratch.run("SELECT relname FROM pg_class WHERE relnamespace = '\(scratch.schema)'::regnamespace") == ["mine"])
    }

    @Test("A copy has the ID, the objects and the references of the original")
    func copying() throws {
        let (scratch, copy, model) = (try Scratch(), try Scratch(), try Sample.model())
        try save(scratch.description, model, name: "Anna")
        let driver = scratch.description.driver
        try driver.replace(at: copy.location, withStoreAt: scratch.location)
        #expect(try driver.metadata(at: copy.location).storeID == driver.metadata(at: scratch.location).storeID)
        try save(copy.description, model, name: "Ben")
        #expect(try names(copy.description, model) == ["Anna", "Ben"])
        #expect(try names(scratch.description, model) == ["Anna"])
        try driver.replace(at: copy.location, withStoreAt: scratch.location)
        #expect(try names(copy.description, model) == ["Anna"])
    }

    // A database of SQL_ASCII took stores, and counted the bytes of a text as its characters; one of LATIN1 took them until a text had
    // others than its own.
    @Test("A database whose encoding is not UTF-8 is refused in words", arguments: ["SQL_ASCII", "LATIN1"])
    func encodings(_ encoding: String) throws {
        let scratch = try Scratch()
        let database = "database_\(UInt32.random(in: 0...UInt32.max))"
        try scratch.run("CREATE DATABASE \(database) TEMPLATE template0 ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C'")
        defer { _ = try? scratch.run("DROP DATABASE \(database) WITH (FORCE)") }
        let description = StoreDescription.postgreSQL(scratch.url + "&dbname=\(database)", schema: scratch.schema)
        try expectError(.unsupported, message: "the database's encoding is \(encoding), and has to be UTF8") {
            _ = try openStore(description, model: Sample.model())
        }
    }

    @Test("Errors of an address say nothing of its password")
    func secrets() throws {
        let url = try PostgreSQLServer.shared.get().url
        for address in [
            ServerAddress("postgresql://me:geheim@localhost:1/db?connect_timeout=1"),
            ServerAddress("postgresql://me:ge%ZZheim@localhost:1/db"), ServerAddress("host=localhost port=1 password='geheim"),
            ServerAddress("postgresql://localhost:1/db", credentials: .init(user: "me", password: "geheim")),
            ServerAddress(url.replacing("/postgres?", with: "/nowhere?") + "&password=geheim"),
        ] {
            let description = StoreDescription(.postgreSQL, at: .server(address))
            let error = try expectError(.io, .unsupported, .missing) {
                try PersistentStoreCoordinator(model: Sample.model()).addStore(description)
            }
            #expect(!"\(error)".contains("heim"))
            #expect(!String(reflecting: error).contains("heim"))
        }
    }

    @Test("Hostile names become columns and tables: quotes, reserved words, other alphabets, long ones that begin alike")
    func hostileNames() throws {
        let scratch = try Scratch("odd \"schema\" ü \(UInt32.random(in: 0...UInt32.max))")
        let long = String(repeating: "verylong", count: 25)
        let attributes = [
            "select", "Naïve\"quote", "имя", "a.b".replacing(".", with: "_"), "id", "xmin", "_id", long + "a", long + "b", "firstName",
            "first_name",
        ]
        let model = try ManagedObjectModel {
            Entity("Person") { for name in attributes { Attribute(name, .string) } }
            Entity(long + "1") { Attribute("name", .string) }
            Entity(long + "2") { Attribute("name", .string) }
            Entity("StrataMetadata") { Attribute("table", .string) }
            Entity("Order") { Relationship("group", to: "Person") }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        let person = try context.insert("Person")
        for name in attributes { try person.setValue("value of \(name)", forKey: name) }
        for name in [long + "1", long + "2"] { try context.insert(name).setValue(name, forKey: "name") }
        try context.insert("StrataMetadata").setValue("t", forKey: "table")
        try context.save()
        let other = ManagedObjectContext(coordinator)
        let found = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).first)
        for name in attributes { #expect(try found.value(forKey: name) as? String == "value of \(name)") }
        for name in [long + "1", long + "2"] {
            let object = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: name)).first)
            #expect(try object.value(forKey: "name") as? String == name)
        }
    }
}
