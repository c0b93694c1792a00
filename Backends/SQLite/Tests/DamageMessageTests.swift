import CStrataSQLite
import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataSQLite

/// Each message of a database whose tables or rows are damaged.
@Suite("Messages of damaged databases")
struct DamageMessageTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [
            Entity("Account", attributes: ["balance": .integer64, "key": .uuid], relationships: ["owners": .toMany("Owner.accounts")]),
            Entity("Owner") { Relationship("accounts", to: "Account", inverse: "owners", .toMany) },
        ])
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, "Account", 1, ["balance": 1])).isEmpty)
        try store.close()
    }

    @Test(
        "A database whose tables are not those of the model is refused with what is missing",
        arguments: [
            ("DROP TABLE ZACCOUNT", "the table ZACCOUNT is missing"),
            ("ALTER TABLE ZACCOUNT RENAME COLUMN ZBALANCE TO ZOTHER", "the table ZACCOUNT has no column ZBALANCE"),
            ("DROP TABLE Z_1OWNERS", "the join table Z_1OWNERS is missing"),
            ("DROP TABLE Z_PRIMARYKEY", "the table of the entities' numbers is missing"),
            ("DELETE FROM Z_METADATA", "the store has no metadata"),
            ("UPDATE Z_METADATA SET Z_PLIST = x'01'", "the metadata are no property list"),
            // Property lists in which the version hashes are a text, and the hash of an entity is a number.
            (
                """
                UPDATE Z_METADATA SET Z_PLIST = x'62706c6973743030d101025f10194e5353746f72654d6f64656c56657273696f6e486173\
                6865735178\
                080b270000000000000101000000000000000300000000000000000000000000000029'
                """, "the version hashes in the metadata are malformed"
            ),
            (
                """
                UPDATE Z_METADATA SET Z_PLIST = x'62706c6973743030d101025f10194e5353746f72654d6f64656c56657273696f6e486173\
                686573d1030451411001080b272a2c000000000000010100000000000000050000000000000000000000000000002e'
                """, "the version hashes in the metadata are malformed"
            ),
        ])
    func tables(_ sql: String, _ message: String) throws {
        try script(sandbox.path(), sql)
        #expect(messageOfError { _ = try open(sandbox.path(), model) } == message)
    }

    @Test("A database of another program is refused")
    func foreign() throws {
        try raw(sandbox.path("Other.sqlite"), "CREATE TABLE a (b)")
        #expect(
            messageOfError { _ = try open(sandbox.path("Other.sqlite"), model) } == "the database is no store of Core Data's layout")
    }

    @Test("A row that is damaged, and a reference that no table counts, are refused")
    func rows() throws {
        try script(sandbox.path(), "UPDATE ZACCOUNT SET ZKEY = x'0102'; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Account'")
        let store = try open(sandbox.path(), model)
        let plan = FetchPlan(try #require(model.entity(named: "Account")))
        #expect(messageOfError { _ = try store.fetch(plan) } == "a UUID in the table ZACCOUNT has 2 bytes")
        let transaction = try store.beginWrite()
        let numbering = messageOfError {
            _ = try transaction.reserveReferences(1, root: 0)
            try transaction.commit()
        }
        #expect(numbering == "the table of the entities' numbers lacks 1")
        transaction.rollback()
        try store.close()
    }

    @Test("A transaction with conflicts, and one beside another, are refused")
    func transactions() throws {
        var options = StoreOptions()
        options.timeout = 0
        let store = try open(sandbox.path(), model, options: options)
        let transaction = try store.beginWrite()
        #expect(messageOfError { _ = try store.beginWrite() } == "another transaction did not end within 0.0 seconds")
        var changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: 0, reference: 1, expectedVersion: 7)]
        #expect(try !transaction.apply(changes).isEmpty)
        #expect(messageOfError { try transaction.commit() } == "a transaction with conflicts can only be rolled back")
        transaction.rollback()
        try store.close()
    }

    @Test("A link of no table, and a value that is longer than SQLite takes, are refused")
    func limits() throws {
        let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        let store = try open(sandbox.path("Notes.sqlite"), model)
        var changes = ChangeSet()
        changes.links = [LinkChange(table: 99, kind: .put, link: Link(first: 1, second: 2))]
        let linking = try store.beginWrite()
        #expect(
            messageOfError { _ = try linking.apply(changes) } == "the store has no table for the links of a relationship")
        linking.rollback()
        let transaction = try #require(try store.beginWrite() as? SQLiteTransaction)
        sqlite3_limit(transaction.connection.handle, SQLITE_LIMIT_LENGTH, 10_000)
        changes.links = []
        changes.inserted = [try row(model, "Note", 1, ["text": .string(String(repeating: "x", count: 20_000))])]
        #expect(messageOfError { _ = try transaction.apply(changes) } == "a value of 20000 bytes does not fit in a column")
        transaction.rollback()
        let failure = StoreError(.closed, .save, "the store has to be opened again after a failed commit", recovery: .reopen)
        try #require(store as? SQLiteStore).fail(with: failure)
        #expect(messageOfError { _ = try store.metadata() } == failure.message)
        try store.close()
    }

    @Test("A store that was migrated while it was open is refused")
    func migration() throws {
        let store = try open(sandbox.path(), model)
        let new = try ManagedObjectModel {
            Entity("Account") { Relationship("owners", to: "Owner", inverse: "accounts", .toMany) }
            Entity("Owner") { Relationship("accounts", to: "Account", inverse: "owners", .toMany) }
        }
        try PersistentStoreCoordinator.migrateStore(StoreDescription(.sqlite, path: sandbox.path()), to: new)
        let plan = FetchPlan(try #require(model.entity(named: "Account")))
        #expect(
            messageOfError { _ = try store.fetch(plan) }
                == "the store's tables are no longer those that it was opened with, as after a migration by another process; open it again")
        #expect(
            messageOfError { _ = try store.insert(row(model, "Account", 2)) }
                == "the store was migrated to another version of its model; open it again")
        try store.close()
    }

    @Test("A pragma that is no word, and a model with too many columns, are refused")
    func options() throws {
        #expect(
            messageOfError { _ = try open(sandbox.path(), model, pragmas: ["cache size": "1"]) }
                == "“cache size = 1” is no pragma with a word or a number as its value")
        let wide = try ManagedObjectModel(entities: [
            Entity("Wide").with { $0.attributes = (0..<2_000).map { Attribute("a\($0)", .boolean) } }
        ])
        #expect(
            messageOfError { _ = try open(sandbox.path("Wide.sqlite"), wide) }
                == "the entity Wide and its sub-entities take 2003 columns of one table; SQLite allows for 2000")
    }
}
