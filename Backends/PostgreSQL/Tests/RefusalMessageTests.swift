import Strata
import StrataModel
import StrataSQL
import StrataStore
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: messages of refused addresses")
struct AddressMessageTests {
    @Test("A location that is on no server, and an address of something else, are refused by name")
    func locations() throws {
        let driver = PostgreSQLDriver()
        try expectError(.unsupported, message: "a PostgreSQL store is on a server") { _ = try driver.metadata(at: .file("/a")) }
        try expectError(.unsupported, message: "not the address of a PostgreSQL server: …") {
            _ = try driver.metadata(at: .server(ServerAddress("elsewhere")))
        }
        try expectError(.io, message: "the server answered nothing") { _ = try Answers().result(0, .fetch) }
    }
}

@Suite("PostgreSQL: messages of what a store or a transaction refuses", .server)
struct RefusalMessageTests {
    private let scratch: Scratch
    private let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func store() throws -> PostgreSQLStore {
        try #require(try openStore(scratch.description, model: model) as? PostgreSQLStore)
    }

    @Test("A schema without a store, and one that lacks a name of the model's, are refused")
    func schemas() throws {
        try expectError(.missing, message: "there is no store in the schema … of …") {
            _ = try scratch.description.driver.metadata(at: scratch.location)
        }
        try store().close()
        try scratch.run("DELETE FROM \(scratch.schema).strata_names WHERE entity = 'Person'")
        try expectError(.incompatibleModel, message: "the store has nothing for what the model has") { _ = try store() }
    }

    @Test("A malformed number, a link of no table, and what follows a failed statement are refused")
    func transactions() throws {
        let store = try store()
        let person = try #require(model.entity(named: "Person"))
        let balance = try #require(person.attribute(named: "balance")?.slot)
        var writer = RowWriter()
        writer.begin(person, reference: 1, version: 1)
        writer.set(text: "abc", at: balance)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        let inserting = try store.beginWrite()
        try expectError(.wrongValue, message: "malformed decimal number") {
            _ = try inserting.apply(changes)
            try inserting.commit()
        }
        inserting.rollback()
        var linked = ChangeSet()
        linked.links = [LinkChange(table: 99, kind: .put, link: Link(first: 1, second: 2))]
        let linking = try store.beginWrite()
        try expectError(.unsupported, message: "the store has no table for the links of a relationship") { _ = try linking.apply(linked) }
        linking.rollback()
        let failing = try #require(try store.beginWrite() as? PostgreSQLTransaction)
        try expectError(.io, message: "the server does not take rows") {
            _ = try failing.connection.copy(SQLText(verbatim: "SELECT 1"), .save) { _ in }
        }
        _ = try? failing.connection.run(SQLText(verbatim: "SELECT 1 / 0"), .save)
        try expectError(.io, message: "a statement of the transaction failed, it can only be rolled back") { try failing.commit() }
        failing.rollback()
    }

    @Test("A save that another session has prepared, that none has, and that another store decided, are refused")
    func preparedSaves() throws {
        let store = try store()
        try expectError(.inDoubt, message: "the server has no prepared transaction of save a, and its log does not name that save") {
            try store.commitPrepared("a")
        }
        let save = PreparedSave(id: "b", decidingStoreID: StoreID("another"), decidingStore: scratch.location)
        let transactions = try (0..<2).map { _ in try #require(try store.beginWrite() as? PostgreSQLTransaction) }
        try transactions[0].prepare(as: save)
        try expectError(.locked, message: "another session recovers the save") { try transactions[1].prepare(as: save) }
        transactions[1].rollback()
        try store.rollbackPrepared("b")
        try expectError(.replaced, message: "the store that decides the save was replaced by another one") {
            _ = try PostgreSQLDriver().hasDecided(save)
        }
    }
}
