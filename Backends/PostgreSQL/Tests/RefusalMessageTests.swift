import Strata
import StrataModel
import StrataPlatform
import StrataSQL
import StrataStore
import StrataTestSupport
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

    @Test("A value that is not of its column's type, and one that is too large for a statement, are refused")
    func values() throws {
        let store = try store()
        let person = try #require(model.entity(named: "Person"))
        let table = "\(scratch.schema).person"
        try scratch.run(
            "INSERT INTO \(table) (_id, _entity, _version) VALUES (1, 1, 1); ALTER TABLE \(table) ALTER COLUMN height TYPE text; "
                + "UPDATE \(table) SET height = 'tall'")
        try expectError(.corrupt, message: "the column … of the table … is not of the type that the store gave it") {
            try store.read { _ = try $0.answer(FetchPlan(person)) }
        }
        let vast = try vastRow(of: person, "photo", byteCount: 1 << 29)
        let transaction = try store.beginWrite()
        try expectError(.tooLarge, message: "a value of 536870912 bytes does not fit into a statement") {
            _ = try transaction.apply(ChangeSet(inserted: [vast]))
            try transaction.commit()
        }
        transaction.rollback()
    }

    /// Returns a row with one value, of zeros that take no memory.
    private func vastRow(of entity: EntityDescription, _ name: String, byteCount: Int) throws -> Row {
        let slot = try #require(entity.attribute(named: name)?.slot)
        var writer = RowWriter()
        writer.begin(entity, reference: 2, version: 1)
        writer.set(bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: slot)
        let row = writer.finish()
        let memory = try ReservedMemory(row.byteCount + byteCount)
        memory.bytes.copyMemory(from: row.bytes)
        memory.bytes.storeBytes(of: UInt32(memory.bytes.count), as: UInt32.self)
        let range = UInt64(row.byteCount) | UInt64(byteCount) << 32
        memory.bytes.storeBytes(of: range, toByteOffset: RowLayout.offset(ofSlot: slot), as: UInt64.self)
        return try #require(Row(in: RowChunk(borrowing: UnsafeRawBufferPointer(memory.bytes), from: memory), at: 0, model: model))
    }

    @Test("A server that keeps no prepared transactions is refused the first phase of a save")
    func unprepared() throws {
        let own = try Scratch(on: PostgreSQLServer(settings: ["max_prepared_transactions = 0"]))
        let store = try #require(try openStore(own.description, model: model) as? PostgreSQLStore)
        let transaction = try #require(try store.beginWrite() as? PostgreSQLTransaction)
        let save = PreparedSave(id: "a", decidingStoreID: StoreID("another"), decidingStore: own.location)
        try expectError(.unsupported, message: "the server keeps no prepared transactions: set max_prepared_transactions") {
            try transaction.prepare(as: save)
        }
        transaction.rollback()
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

/// Zeros that take memory only where they are written.
private final class ReservedMemory {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ count: Int) throws {
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        try #require(memory != MAP_FAILED)
        bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }
}
