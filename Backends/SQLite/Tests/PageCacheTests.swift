import CStrataSQLite
import StrataEngine
import StrataModel
import StrataSQL
import StrataStore
import Testing

@testable import StrataSQLite

@Suite("SQLite: page caches")
struct PageCacheTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel {
            Entity("Note") {
                Attribute("text", .string)
                FetchIndex("byText", on: "text")
            }
        }
    }

    private func open(_ driver: SQLiteDriver = .sqlite) throws -> SQLiteStore {
        let store = try driver.open(StoreDescription(driver, path: sandbox.path()), model: model)
        return try #require(store as? SQLiteStore)
    }

    /// A note whose text is far from those of its neighbors in the index.
    private func note(_ number: Int64, version: UInt32 = 1) throws -> Row {
        let key = String((number * 7919 + Int64(version) * 104_729) % 1_000_003)
        return try row(model, "Note", number, ["text": .string(key + String(repeating: "x", count: 240))], version: version)
    }

    private func insert(_ numbers: ClosedRange<Int64>, into store: SQLiteStore) throws {
        var changes = ChangeSet()
        changes.inserted = try numbers.map { try note($0) }
        #expect(try store.save(changes).isEmpty)
    }

    private func cacheSize(_ connection: Connection?) throws -> Int64? { try connection?.integer("PRAGMA cache_size", .fetch) }

    private func cacheSizeOfReader(_ store: SQLiteStore) throws -> Int64? { try store.withConnection { try cacheSize($0) } }

    @Test("The caches hold the file, within limits")
    func sizes() {
        func sizes(_ bytes: Int) -> [Int] { [false, true].map { PageCache.kibibytes(forFileOf: bytes, isWriting: $0) } }
        #expect(sizes(0) == [2_000, 2_000])
        #expect(sizes(2_000 * 1024) == [2_000, 2_000])
        #expect(sizes(2_000 * 1024 + 1) == [4_000, 4_000])
        #expect(sizes(10 << 20) == [8_000, 16_000])
        #expect(sizes(.max) == [8_000, 32_000])
    }

    @Test("The caches grow with the file, those of the application do not")
    func growth() throws {
        let store = try open()
        #expect(try [cacheSize(store.writer), cacheSizeOfReader(store)] == [-2_000, -2_000])
        try insert(1...8_000, into: store)
        try insert(8_001...8_001, into: store)
        #expect(try [cacheSize(store.writer), cacheSizeOfReader(store)] == [-8_000, -8_000])
        try store.close()
        let again = try open(.sqlite(pragmas: ["cache_size": "77"]))
        try insert(8_002...8_002, into: again)
        #expect(try [cacheSize(again.writer), cacheSizeOfReader(again)] == [77, 77])
        try again.close()
    }

    // With a cache of 2 MB the pages of the index were written each time that another row's key fell on them.
    @Test("A save that changes a whole table and its index writes each page about once")
    func writes() throws {
        let store = try open()
        try insert(1...8_000, into: store)
        let writer = try #require(store.writer)
        var changes = ChangeSet()
        let text = try slots(model, "Note", "text")
        changes.updated = try (1...8_000).map { RowUpdate(row: try note($0, version: 2), changedSlots: text) }
        var (count, greatest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(writer.handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &greatest, 1)
        #expect(try store.save(changes).isEmpty)
        sqlite3_db_status(writer.handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &greatest, 0)
        let pages = try #require(try writer.integer("PRAGMA page_count", .fetch))
        #expect(Int64(count) <= pages + pages / 4)
        try store.close()
    }

    @Test("Connections that read map the file where the driver says so, the one that writes does not")
    func mapping() throws {
        try insert(1...100, into: open())
        let store = try open(.sqlite(mmapSize: 1 << 20))
        func mapped(_ connection: Connection?) throws -> Int64? { try connection?.integer("PRAGMA mmap_size", .fetch) }
        #expect(try mapped(store.writer) == 0)
        #expect(try store.withConnection { try mapped($0) } == 1 << 20)
        try insert(101...3_000, into: store)
        #expect(try store.fetch(FetchPlan(#require(model.entity(named: "Note")))).count == 3_000)
        try store.close()
        #expect(try open().withConnection { try mapped($0) } == 0)
    }
}
