import Foundation
import Strata
import StrataModel
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: a store is migrated while others use it", .server, .timeLimit(.minutes(60)))
struct MigratingTests {
    let scratch: Scratch
    let old: ManagedObjectModel
    let new: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        old = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        new = try ManagedObjectModel {
            Entity("Note") {
                Attribute("text", .string)
                Attribute("length", .integer32, default: 7)
                FetchIndex("byText", on: "text")
            }
        }
        let store = try open()
        try insert(1, store)
        try store.close()
    }

    private func open(timeout: Double = 600) throws -> any StoreBackend {
        var description = scratch.description
        description.options.timeout = timeout
        return try openStore(description, model: old)
    }

    private func changes(_ reference: Int64) throws -> ChangeSet {
        let entity = try #require(old.entity(named: "Note"))
        var writer = RowWriter()
        writer.begin(entity, reference: reference, version: 1)
        writer.set(.string("note \(reference)"), at: try #require(entity.attribute(named: "text")?.slot), .string)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        return changes
    }

    private func insert(_ reference: Int64, _ store: any StoreBackend) throws {
        let transaction = try store.beginWrite()
        defer { transaction.rollback() }
        #expect(try transaction.apply(changes(reference)).isEmpty)
        try transaction.commit()
    }

    /// Opens the store with the new version of its model, and answers the texts of its notes.
    private func migrate(timeout: Double = 600, _ progress: (@Sendable (MigrationProgress) throws -> Void)? = nil) throws -> [String] {
        var description = scratch.description
        description.options.timeout = timeout
        description.migrationProgress = progress
        let coordinator = PersistentStoreCoordinator(model: new)
        let store = try coordinator.addStore(description)
        defer { try? coordinator.remove(store) }
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Note", sort: [QuerySort("text")])
        let notes = try ManagedObjectContext(coordinator).fetch(request)
        #expect(try notes.allSatisfy { try $0.value(forKey: "length") as? Int == 7 })
        return try notes.compactMap { try $0.value(forKey: "text") as? String }
    }

    /// Returns as soon as somebody waits for a lock on a table of the store.
    private func untilSomebodyWaits() throws {
        let connection = try scratch.connection()
        let waiting = "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
        while try scratch.run(
            waiting + "WHERE NOT l.granted AND c.relnamespace = '\(scratch.schema)'::regnamespace", on: connection) == ["0"]
        { Thread.sleep(forTimeInterval: 0.01) }
    }

    // Who opened the store at the moment when a migration replaced what it says of itself was told, for good, that it was damaged: the
    // snapshot was of before, and the table emptied since.
    @Test("Who opens a store that is being migrated waits, and finds what the migration made")
    func opening() throws {
        let other = try scratch.connection()
        let metadata = "\(scratch.schema).strata_metadata"
        // The end of a migration.
        try scratch.run(
            """
            BEGIN; LOCK TABLE \(metadata) IN ACCESS EXCLUSIVE MODE; CREATE TEMP TABLE kept AS SELECT * FROM \(metadata); \
            TRUNCATE \(metadata); INSERT INTO \(metadata) SELECT * FROM kept
            """, on: other)
        let opening = apart { [scratch, old] in
            let description = scratch.description
            return try openStore(description, model: old).id
        }
        try untilSomebodyWaits()
        try scratch.run("COMMIT", on: other)
        _ = try opening()
    }

    // The migration's snapshot was older than the save: what that inserted went with the old tables.
    @Test("A save that began before the migration is waited for, and migrated")
    func earlier() throws {
        let store = try open()
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes(2)).isEmpty)
        let texts = apart { try migrate() }
        try untilSomebodyWaits()
        try transaction.commit()
        #expect(try texts() == ["note 1", "note 2"])
        try expectError(.incompatibleModel, message: "the store was brought to another version of its model; open it again") {
            try insert(3, store)
        }
    }

    // A save asks for the server's locks when it is sent, at its end: what it saved to was closed by then, and replaced by another.
    @Test("A save that began is waited for before the process migrates, whether the server knows of it or not, and none begins meanwhile")
    func begun() throws {
        let store = try #require(try open(timeout: 0.2) as? PostgreSQLStore)
        try insert(2, store)
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes(3)).isEmpty)
        try expectError(.locked, message: "another transaction of the store did not end in time") {
            _ = try store.beginMigration(TransactionOrigin())
        }
        try transaction.commit()
        let migration = try store.beginMigration(TransactionOrigin())
        try expectError(.locked) { try insert(4, store) }
        migration.rollback()
        try insert(4, store)
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).note") == ["4"])
    }

    // A statement that waited for a table found the one that had replaced it, with a snapshot from before.
    @Test("A save that would begin meanwhile waits, and then finds the store of another model")
    func meanwhile() throws {
        let (patient, impatient) = (try open(), try open(timeout: 0.05))
        let late = Mutex<(() throws -> Void)?>(nil)
        let texts = try migrate { progress in
            guard progress.fractionCompleted == 1 else { return }
            let isFirst = late.withLock { late in
                if late != nil { return false }
                late = apart { try insert(2, patient) }
                return true
            }
            if isFirst {
                try untilSomebodyWaits()
                try expectError(.locked) { try insert(3, impatient) }
                let other = try scratch.connection()
                try scratch.run("SET lock_timeout = '50ms'", on: other)
                try expectError(.locked) {
                    try scratch.run("INSERT INTO \(scratch.schema).note (_id, _entity, _version) VALUES (9, 1, 1)", on: other)
                }
            }
        }
        #expect(texts == ["note 1"])
        try expectError(.incompatibleModel) { try late.withLock { $0 }?() }
        try expectError(.incompatibleModel) { try insert(4, impatient) }
        #expect(try scratch.run("SELECT text || length FROM \(scratch.schema).note") == ["note 17"])
    }

    @Test("A reader is not cut off: the migration waits for it, and gives up in the end with nothing changed")
    func reading() throws {
        let store = try open()
        let snapshot = try #require(try store.holdSnapshot())
        try expectError(.locked) { _ = try migrate(timeout: 0.1) }
        try insert(2, store)
        let plan = FetchPlan(try #require(old.entity(named: "Note")))
        guard case .rows(let rows, _) = try snapshot.read({ try $0.answer(plan) }) else { return #expect(Bool(false)) }
        #expect(rows.count == 1)
        try store.close()
        #expect(try migrate() == ["note 1", "note 2"])
    }

    @Test("An index that a version of the model gains is made by the migration")
    func indexes() throws {
        _ = try migrate()
        let indexes = try scratch.run("SELECT indexname FROM pg_indexes WHERE schemaname = '\(scratch.schema)' AND tablename = 'note'")
        #expect(indexes.contains("note_by_text_index"))
    }

    @Test("A store that another one replaced is not read or written by those who had it open")
    func replaced() throws {
        let other = try Scratch()
        let source = try openStore(other.description, model: old)
        try source.close()
        let store = try open()
        try scratch.description.driver.replace(at: scratch.location, withStoreAt: other.location)
        try expectError(.replaced) { try insert(2, store) }
        let again = try open()
        try scratch.description.driver.replace(at: scratch.location, withStoreAt: other.location)
        try expectError(.incompatibleModel, .replaced) { try insert(2, again) }
    }
}
