import Strata
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

// Of a trigger that returns nothing, or a rule, the server says that all is well: the save was acknowledged, and nothing was there.
@Suite("PostgreSQL: what others keep from being written fails the save", .server)
struct PassedOverTests {
    let scratch: Scratch
    let coordinator: PersistentStoreCoordinator

    /// A store with Anna, whose friend is Ben, and Cleo.
    init() throws {
        scratch = try Scratch()
        coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                Entity("Person") {
                    Attributes(["name": .string, "age": .integer32])
                    Relationships([
                        "friends": .toMany("Person.friendsOf"), "friendsOf": .toMany("Person.friends"),
                        "listed": .ordered("Person.lists"), "lists": .toMany("Person.listed"),
                    ])
                }
            })
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        let people = try ["Anna", "Ben", "Cleo"].map { name in
            let person = try context.insert("Person")
            try person.setValue(name, forKey: "name")
            return person
        }
        try people[0].setValue(Set([people[1]]), forKey: "friends")
        try people[0].setValue([people[1], people[2]], forKey: "listed")
        try context.save()
    }

    private func watch(_ kind: String, _ event: String, _ table: String) throws {
        let (schema, table) = (scratch.schema, "\(scratch.schema).\(table)")
        try scratch.run(
            kind == "rule"
                ? "CREATE RULE nothing AS ON \(event) TO \(table) DO INSTEAD NOTHING"
                : """
                CREATE FUNCTION \(schema).nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; \
                CREATE TRIGGER nothing BEFORE \(event) ON \(table) FOR EACH ROW EXECUTE FUNCTION \(schema).nothing()
                """)
    }

    private func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")]))
    }

    /// All that the store has.
    private func contents() throws -> [String] {
        var contents = try scratch.run("SELECT name || ' ' || _version FROM \(scratch.schema).person ORDER BY name")
        for table in try scratch.run(
            "SELECT name FROM \(scratch.schema).strata_names WHERE role = 'link table' ORDER BY 1")
        {
            contents += try scratch.run("SELECT t::text FROM \(scratch.schema).\(table) t ORDER BY 1")
        }
        return contents
    }

    private static let passedOver = "a trigger or a rule of others' passes over rows of the table …"

    private func expectDenied(_ message: String? = passedOver, _ body: (ManagedObjectContext) throws -> Void) throws {
        let before = try contents()
        try expectError(.denied, message: message) { try body(ManagedObjectContext(coordinator)) }
        #expect(try contents() == before)
    }

    @Test("Rows that are not inserted, one or many", arguments: ["trigger", "rule"], [1, 100])
    func insertion(_ kind: String, _ count: Int) throws {
        try watch(kind, "INSERT", "person")
        func insert(_ context: ManagedObjectContext) throws {
            for _ in 0..<count { try context.insert("Person") }
            try context.save()
        }
        if kind == "trigger" || count == 1 { return try expectDenied { try insert($0) } }
        // A copy passes by rules.
        try insert(ManagedObjectContext(coordinator))
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person") == ["\(3 + count)"])
    }

    @Test("Rows that are not changed, one by one or by a condition", arguments: ["trigger", "rule"])
    func update(_ kind: String) throws {
        try watch(kind, "UPDATE", "person")
        try expectDenied { context in
            try people(context)[0].setValue(1, forKey: "age")
            try context.save()
        }
        try expectDenied {
            try $0.execute(BatchUpdateRequest(entityName: "Person", try QueryPredicate(format: "name < 'C'"), set: ["age": Value.int(1)]))
        }
        try expectDenied {
            let sum = try QueryExpression(format: "age + 1")
            try $0.execute(BatchUpdateRequest(entityName: "Person", set: ["age": sum]))
        }
    }

    @Test("Rows that are not deleted, one by one, by a condition or by their IDs", arguments: ["trigger", "rule"])
    func deletion(_ kind: String) throws {
        try watch(kind, "DELETE", "person")
        try expectDenied { context in
            context.delete(try people(context)[2])
            try context.save()
        }
        try expectDenied { try $0.execute(BatchDeleteRequest(entityName: "Person", try QueryPredicate(format: "name < 'C'"))) }
        try expectDenied { try $0.execute(BatchDeleteRequest(objectIDs: try people($0).map(\.objectID))) }
    }

    @Test("Links that are not inserted, removed, or given their order", arguments: ["trigger", "rule"], ["friends", "listed"])
    func links(_ kind: String, _ key: String) throws {
        let sides = key == "friends" ? "'friends', 'friendsOf'" : "'listed', 'lists'"
        let names = "SELECT name FROM \(scratch.schema).strata_names WHERE role = 'link table' AND property IN (\(sides))"
        let table = try #require(try scratch.run(names).first)
        // A rule meets the check of the foreign key too, whose text is the server's.
        let message = kind == "rule" ? nil : Self.passedOver
        func isChanged(_ change: (ManagedObject, [ManagedObject]) throws -> Void) throws {
            try expectDenied(message) { context in
                let people = try people(context)
                try change(people[0], people)
                try context.save()
            }
        }
        func set(_ members: [ManagedObject], of object: ManagedObject) throws {
            if key == "friends" { try object.setValue(Set(members), forKey: key) } else { try object.setValue(members, forKey: key) }
        }
        for event in ["INSERT", "UPDATE", "DELETE"] {
            try watch(kind, event, table)
            switch event {
            case "INSERT": try isChanged { try set([$1[1], $1[2], $1[0]], of: $0) }
            case "UPDATE": if key == "listed" { try isChanged { try set([$1[2], $1[1]], of: $0) } }
            default:
                try isChanged { person, _ in try set([], of: person) }
                try expectDenied(message) { context in
                    context.delete(try people(context)[0])
                    try context.save()
                }
                try expectDenied(message) { try $0.execute(BatchDeleteRequest(entityName: "Person")) }
            }
            try scratch.run(
                kind == "rule" ? "DROP RULE nothing ON \(scratch.schema).\(table)" : "DROP FUNCTION \(scratch.schema).nothing CASCADE")
        }
    }

    // The save was acknowledged, and no other process heard of it.
    @Test("Rows of the log, or of what is prepared, that are not inserted", arguments: ["trigger", "rule"])
    func log(_ kind: String) throws {
        try watch(kind, "INSERT", StoreTables.changes)
        try expectDenied { context in
            try context.insert("Person")
            try context.save()
        }
        try expectDenied { context in
            try people(context)[0].setValue(1, forKey: "age")
            try context.save()
        }
        try expectDenied { try $0.execute(BatchDeleteRequest(entityName: "Person")) }
        let store = try #require(coordinator.stores.first).backend
        func transaction() throws -> any PreparingTransaction { try #require(try store.beginWrite() as? any PreparingTransaction) }
        let save = PreparedSave(id: "log-\(scratch.schema)", decidingStoreID: store.id, decidingStore: scratch.location)
        var changes = ChangeSet()
        changes.metadata = try store.metadata()
        try expectError(.denied) {
            let transaction = try transaction()
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.prepare(as: save)
        }
        try scratch.run("DROP \(kind == "rule" ? "RULE" : "TRIGGER") nothing ON \(scratch.schema).\(StoreTables.changes)")
        try scratch.run("DROP FUNCTION IF EXISTS \(scratch.schema).nothing")
        try watch(kind, "INSERT", StoreTables.prepared)
        try expectError(.denied) { try transaction().prepare(as: save) }
        try expectError(.denied) { try transaction().decide(save.id) }
        #expect(try scratch.run("SELECT gid FROM pg_prepared_xacts WHERE gid LIKE '%\(scratch.schema)%'") == [])
    }

    @Test("What triggers and rules let pass is saved, and links that are there already are no fault of theirs")
    func passing() throws {
        let schema = scratch.schema
        try scratch.run(
            """
            CREATE TABLE \(schema).audit (at text); \
            CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS \
            'BEGIN INSERT INTO \(schema).audit VALUES (TG_OP); IF TG_OP = ''DELETE'' THEN RETURN OLD; END IF; RETURN NEW; END'
            """)
        for table in try scratch.run("SELECT name FROM \(schema).strata_names WHERE role IN ('table', 'link table')") {
            try scratch.run(
                """
                CREATE TRIGGER note BEFORE INSERT OR UPDATE OR DELETE ON \(schema).\(table) FOR EACH ROW EXECUTE FUNCTION \(schema).note(); \
                ALTER TABLE \(schema).\(table) ENABLE ROW LEVEL SECURITY
                """)
        }
        let mine = ManagedObjectContext(coordinator)
        let people = try people(mine)
        // Others make the same link first.
        let theirs = ManagedObjectContext(coordinator)
        let ids = people.map(\.objectID)
        try theirs.object(with: ids[1]).setValue(Set([theirs.object(with: ids[2])]), forKey: "friends")
        try theirs.save()
        try people[1].setValue(Set([people[2]]), forKey: "friends")
        try people[0].setValue([people[2], people[0], people[1]], forKey: "listed")
        mine.mergePolicy = .mergeByPropertyObjectTrump
        try mine.save()
        try mine.execute(BatchUpdateRequest(entityName: "Person", set: ["age": Value.int(1)]))
        mine.delete(people[2])
        try mine.save()
        try mine.execute(BatchDeleteRequest(entityName: "Person"))
        #expect(try contents() == [])
        #expect(try scratch.run("SELECT count(*) FROM \(schema).audit") != ["0"])
    }

    @Test("What a policy would hide rows from is refused")
    func policy() throws {
        let (schema, role) = (scratch.schema, "role_\(UInt32.random(in: 0...UInt32.max))")
        try scratch.run(
            """
            CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role); \
            GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(role); GRANT ALL ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role); \
            ALTER TABLE \(schema).person ENABLE ROW LEVEL SECURITY; CREATE POLICY ben ON \(schema).person USING (name = 'Ben')
            """)
        defer { _ = try? scratch.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let restricted = PersistentStoreCoordinator(model: coordinator.model)
        try restricted.addStore(.postgreSQL(scratch.url.replacing("user=strata", with: "user=\(role)"), schema: schema))
        let before = try contents()
        let context = ManagedObjectContext(restricted)
        try expectError(.denied) { _ = try people(context) }
        try expectError(.denied) { try context.execute(BatchUpdateRequest(entityName: "Person", set: ["age": Value.int(1)])) }
        try expectError(.denied) { try context.execute(BatchDeleteRequest(entityName: "Person")) }
        try context.insert("Person").setValue("Eve", forKey: "name")
        try expectError(.denied) { try context.save() }
        #expect(try contents() == before)
    }
}
