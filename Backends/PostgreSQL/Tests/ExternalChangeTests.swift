import Foundation
import Strata
import StrataModel
import StrataSQL
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: changes of other programs in the history", .server, .timeLimit(.minutes(60)))
struct ExternalChangeTests {
    let scratch: Scratch
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try ManagedObjectModel {
            Entity("Person") {
                Attributes(["name": .string, "age": .integer32, "born": .date, "height": .double])
                Attribute("email", .string).preservedOnDeletion
                Attribute("balance", .decimal).preservedOnDeletion
                Attribute("token", .uuid).preservedOnDeletion
                Relationships(["pets": .toMany("Pet.owner"), "friends": .toMany("Person.friends")])
            }
            Entity("Student", parent: "Person") { Attribute("school", .string) }
            Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Person.pets")])
        }
    }

    private func opened(_ policy: HistoryPolicy? = .unlimited) throws -> PersistentStoreCoordinator {
        var description = scratch.description
        description.options.history = policy
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description)
        return coordinator
    }

    /// Saves people with the references from 1 on.
    private func save(_ count: Int, _ coordinator: PersistentStoreCoordinator, _ entity: String = "Person") throws {
        let context = ManagedObjectContext(coordinator)
        for index in 0..<count { try context.insert(entity).setValue("\(index)", forKey: "name") }
        try context.save()
    }

    /// Runs SQL in a session of another program.
    @discardableResult
    private func run(_ sql: String) throws -> [String] {
        let connection = try scratch.connection()
        try scratch.run("RESET strata.session", on: connection)
        return try scratch.run(sql.replacing("$", with: scratch.schema), on: connection)
    }

    private func external(_ coordinator: PersistentStoreCoordinator, after token: HistoryToken?) throws -> [String] {
        try coordinator.history.transactions(after: token).flatMap { transaction in
            #expect(transaction.origin == HistoryOrigin(.external))
            return transaction.changes.map { change in
                let names = change.changedProperties.sorted().joined(separator: ",")
                return "\(change.kind) \(change.objectID.entity.name) \(change.objectID.reference) \(names)"
            }
        }
    }

    // The history had no transaction of what programs wrote that do not know it: a reader that follows it missed it.
    @Test("The rows that another program writes are a transaction of an unknown author")
    func rows() throws {
        let coordinator = try opened()
        try save(3, coordinator)
        let token = try coordinator.history.currentToken()
        try run(
            """
            BEGIN; INSERT INTO $.person (_id, _version, _entity, name) VALUES (50, 1, 1, 'x'), (51, 1, 2, 'y'); \
            UPDATE $.person SET age = 3, name = 'z' WHERE _id = 1; UPDATE $.person SET height = 2.5 WHERE _id IN (1, 50); \
            DELETE FROM $.person WHERE _id IN (2, 51); COMMIT
            """)
        let expected = ["insert Person 50 ", "update Person 1 age,height,name", "delete Person 2 "]
        #expect(try external(coordinator, after: token) == expected)
        let after = try coordinator.history.currentToken()
        try save(1, coordinator)
        let later = try coordinator.history.transactions(after: after)
        #expect(later.map(\.origin.kind) == [.save])
        #expect(try coordinator.history.transactions(HistoryRequest()).count == 3)
    }

    @Test("Several transactions between two readings are one, with the outcome of each object; what is undone is in none")
    func several() throws {
        let coordinator = try opened()
        try save(2, coordinator, "Student")
        let token = try coordinator.history.currentToken()
        try run("BEGIN; UPDATE $.person SET age = 1; ROLLBACK")
        try run("UPDATE $.person SET age = NULL")
        #expect(try external(coordinator, after: token).isEmpty)
        try run("INSERT INTO $.person (_id, _version, _entity, name) VALUES (9, 1, 1, 'x')")
        try run("UPDATE $.person SET school = 'a' WHERE _id = 1")
        try run("DELETE FROM $.person WHERE _id = 9")
        try run("UPDATE $.person SET _id = 7 WHERE _id = 2")
        #expect(try external(coordinator, after: token) == ["insert Student 7 ", "update Student 1 school", "delete Student 2 "])
    }

    @Test("The owners of members, and both ends of links, are changed objects")
    func relationships() throws {
        let coordinator = try opened()
        try save(3, coordinator)
        try save(2, coordinator, "Pet")
        let token = try coordinator.history.currentToken()
        try run("UPDATE $.pet SET owner_id = 1, owner_entity = 1 WHERE _id = 1")
        #expect(try external(coordinator, after: token) == ["update Person 1 pets", "update Pet 1 owner"])
        let second = try coordinator.history.currentToken()
        try run("UPDATE $.pet SET owner_id = 2 WHERE _id = 1; INSERT INTO $.person_friends VALUES (1, 3), (3, 1)")
        let expected = ["update Person 1 friends,pets", "update Person 2 pets", "update Person 3 friends", "update Pet 1 owner"]
        #expect(try external(coordinator, after: second) == expected)
    }

    @Test("A deleted row leaves its preserved values")
    func tombstones() throws {
        let coordinator = try opened()
        try save(1, coordinator)
        let token = try coordinator.history.currentToken()
        let uuid = UUID()
        try run("UPDATE $.person SET email = 'ä\"b', balance = 12345678901234567890.125, token = '\(uuid)'")
        try run("DELETE FROM $.person")
        let change = try #require(coordinator.history.transactions(after: token).first?.changes.first)
        #expect(change.kind == .delete)
        #expect(change.tombstone["email"] == .string("ä\"b"))
        #expect(change.tombstone["balance"] == Decimal(string: "12345678901234567890.125").map { .decimal($0) })
        #expect(change.tombstone["token"] == .uuid(uuid))
    }

    @Test("Saves and batch requests of coordinators are no changes of other programs")
    func own() throws {
        let coordinator = try opened()
        try save(3, coordinator)
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person"))
        try people[0].setValue(Set(people), forKey: "friends")
        context.delete(people[2])
        try context.save()
        try context.execute(BatchDeleteRequest(fetchRequest: ObjectFetchRequest<ManagedObject>(entityName: "Person")))
        #expect(try run("SELECT count(*)::text FROM $.strata_changes WHERE writer = 'external'") == ["0"])
        #expect(try coordinator.history.transactions(HistoryRequest()).map(\.origin.kind) == [.save, .save, .batch])
    }

    @Test("A role without rights to the log writes all the same, and two readers add its changes once")
    func guest() throws {
        let coordinators = try (0..<2).map { _ in try opened() }
        try save(20, coordinators[0])
        let token = try coordinators[0].history.currentToken()
        try run("REVOKE ALL ON $.strata_changes FROM PUBLIC")
        let role = "writer_\(UUID().uuidString.prefix(8).lowercased())"
        try run("CREATE ROLE \(role); GRANT USAGE ON SCHEMA $ TO \(role); GRANT SELECT, UPDATE ON $.person TO \(role)")
        defer { _ = try? run("DROP OWNED BY \(role); DROP ROLE \(role)") }
        for index in 1...20 {
            try run("BEGIN; SET LOCAL ROLE \(role); UPDATE $.person SET age = \(index) WHERE _id = \(index); COMMIT")
            let readers = coordinators.map { coordinator in apart { try coordinator.history.currentToken() } }
            for reader in readers { _ = try reader() }
        }
        let found = try external(coordinators[1], after: token)
        #expect(found == (1...20).map { "update Person \($0) age" })
    }

    @Test("A store gets the triggers when it is opened with a history, and loses the function with its removal")
    func installing() throws {
        let triggers =
            "SELECT c.relname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = 'strata_external' "
            + "AND c.relnamespace = '$'::regnamespace ORDER BY 1"
        var coordinator = try opened(nil)
        #expect(try run(triggers).isEmpty)
        for store in coordinator.stores { try coordinator.remove(store) }
        coordinator = try opened()
        #expect(try run(triggers) == ["person", "person_friends", "pet"])
        try save(1, coordinator)
        for store in coordinator.stores { try coordinator.remove(store) }
        try PostgreSQLDriver().destroy(at: scratch.location)
        #expect(
            try run("SELECT count(*)::text FROM pg_proc WHERE proname = 'strata_external' AND pronamespace::regnamespace::text = '$'") == [
                "0"
            ])
    }

    @Test("Changes that are not in the history yet are not pruned")
    func pruning() throws {
        let coordinator = try opened()
        try save(1, coordinator)
        let token = try coordinator.history.currentToken()
        try run("UPDATE $.person SET age = 5")
        try run(
            """
            INSERT INTO $.strata_changes (transaction, writer, save, kind, relation) SELECT x::text::xid8, 'a', 'b', 'metadata', '' \
            FROM pg_current_xact_id() x, generate_series(1, 60000)
            """)
        try run(ChangeTable(schema: scratch.schema).pruning.text)
        #expect(try external(coordinator, after: token) == ["update Person 1 age"])
        try run(ChangeTable(schema: scratch.schema).pruning.text)
        #expect(try run("SELECT count(*)::text FROM $.strata_changes WHERE writer = 'external'") == ["0"])
    }
}
