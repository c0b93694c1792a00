import CStrataSQLite
import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The compiled model in a SQLite store of Strata's")
struct StoredModelCacheTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("store.sqlite")
    }

    private static func model(_ more: Attribute...) throws -> ManagedObjectModel {
        var book = Entity("Book") { Attribute("title", .string) }
        book.attributes += more
        return try ManagedObjectModel(entities: [book], versionIdentifiers: ["7"])
    }

    private func create(_ model: ManagedObjectModel, configuration: String? = nil) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.remove(try coordinator.addStore(StoreDescription(.sqlite, path: path, configuration: configuration)))
    }

    private func withDatabase<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        return try body(try #require(database))
    }

    private func blobs(_ sql: String) throws -> [[UInt8]] {
        try withDatabase { database in
            var statement: OpaquePointer?
            try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
            defer { sqlite3_finalize(statement) }
            var rows: [[UInt8]] = []
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append(
                    Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))))
            }
            return rows
        }
    }

    private func cached() throws -> [ManagedObjectModel] {
        try blobs("SELECT Z_CONTENT FROM Z_MODELCACHE").map { try ModelFile(modelCache: $0).model() }
    }

    private func set(_ column: String, _ table: String, _ bytes: [UInt8]) throws {
        try withDatabase { database in
            let sql = "UPDATE \(table) SET \(column) = x'\(bytes.map { String(format: "%02x", $0) }.joined())'"
            try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        }
    }

    /// Replaces the model that Strata keeps in the metadata, as an earlier one stays there when Core Data migrates the store.
    private func keep(_ model: ManagedObjectModel) throws {
        let list = try #require(try blobs("SELECT Z_PLIST FROM Z_METADATA").first)
        var values = try #require(try PropertyListSerialization.propertyList(from: Data(list), format: nil) as? [String: Any])
        values["StrataModel"] = Data(try model.encoded())
        let changed = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        try set("Z_PLIST", "Z_METADATA", Array(changed))
    }

    private func openWithOwnModel() throws -> ManagedObjectModel {
        try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path)).model
    }

    @Test("A new store has the compiled model of its hashes") func new() throws {
        let model = try ModelCacheWritingTests.model()
        try create(model)
        let found = try cached()
        #expect(found.map(\.entityVersionHashesByName) == [model.entityVersionHashesByName])
        #expect(found.first?.versionIdentifiers == ["v7"])
        #expect(try SQLiteDriver().foreignModel(at: .file(path))?.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try openWithOwnModel().entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("A migrated store has the compiled model of the new version, in a table that may have been missing", arguments: [true, false])
    func migrated(_ hasTable: Bool) throws {
        try create(Self.model())
        if !hasTable {
            try withDatabase { try #require(sqlite3_exec($0, "DROP TABLE Z_MODELCACHE", nil, nil, nil) == SQLITE_OK) }
        }
        let next = try Self.model(Attribute("pages", .integer32))
        try create(next)
        #expect(try cached().map(\.entityVersionHashesByName) == [next.entityVersionHashesByName])
    }

    @Test("A store of a configuration has the whole model") func configuration() throws {
        let model = try ManagedObjectModel {
            Entity("Book") { Attribute("title", .string) }
            Entity("Other") { Attribute("name", .string) }
            EntityConfiguration("books", "Book")
        }
        try create(model, configuration: "books")
        #expect(try cached().map { $0.entities.map(\.name) } == [["Book", "Other"]])
    }

    @Test("The table is empty where the form of the compiled model is not known, and after a migration to such a model") func empty() throws
    {
        let model = try Self.model(Attribute("colors") { Attribute("first") { Attribute("red", .float) } })
        try create(Self.model())
        #expect(try cached().count == 1)
        try create(model)
        #expect(try cached().isEmpty)
        #expect(try openWithOwnModel().entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("A store that Core Data migrated opens with the model in its cache, where Strata's is of an earlier version")
    func migratedByOthers() throws {
        let (first, next) = (try Self.model(), try Self.model(Attribute("pages", .integer32)))
        try create(next)
        try keep(first)
        #expect(try openWithOwnModel().entityVersionHashesByName == next.entityVersionHashesByName)
        let description = StoreDescription(.sqlite, path: path)
        let metadata = try description.driver.metadata(at: description.location)
        #expect(try metadata.model() == nil)
        // It is migrated from there.
        let last = try Self.model(Attribute("pages", .integer32), Attribute("price", .double))
        try create(last)
        #expect(try openWithOwnModel().entityVersionHashesByName == last.entityVersionHashesByName)
    }

    @Test("Where both the kept and the cached model contradict the hashes, opening with the store's own model is an error")
    func contradiction() throws {
        let (first, next) = (try Self.model(), try Self.model(Attribute("pages", .integer32)))
        try create(next)
        try keep(first)
        try set("Z_CONTENT", "Z_MODELCACHE", try #require(first.modelCache()))
        let error = #expect(throws: StoreError.self) { _ = try openWithOwnModel() }
        #expect(error?.code == .corrupt)
        #expect(error?.path == path)
        #expect(error?.message == "the model in the store's cache is of another version than its hashes")
    }

    @Test("The model that Strata keeps counts where the cache has another one") func otherCache() throws {
        let (first, next) = (try Self.model(), try Self.model(Attribute("pages", .integer32)))
        try create(next)
        try set("Z_CONTENT", "Z_MODELCACHE", try #require(first.modelCache()))
        #expect(try openWithOwnModel().entityVersionHashesByName == next.entityVersionHashesByName)
    }
}
