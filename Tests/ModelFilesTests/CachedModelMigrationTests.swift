import CStrataSQLite
import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("Stores that another program made")
struct CachedModelMigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A store as Core Data leaves it: hashes that nobody else computes, and its compiled model.
    private func store(_ model: ManagedObjectModel, cache: [UInt8]) throws -> String {
        let path = directory.file("store.sqlite")
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let context = ManagedObjectContext(coordinator)
        let (book, order) = (try context.insert("Book"), try context.insert("Order"))
        try book.setValue("Lyrics", forKey: "title")
        try book.setValue("abcde", forKey: "code")
        for relationship in book.entity.relationships where relationship.isToMany {
            try book.setValue(relationship.isOrdered ? [order] : Set([order]), forKey: relationship.name)
        }
        try context.save()
        try coordinator.remove(store)
        let hashes = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, Data(repeating: 7, count: 32)) })
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreModelVersionHashes": hashes, "NSStoreType": "SQLite"], format: .binary, options: 0)
        var database: OpaquePointer?
        #expect(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        func text(_ bytes: some Sequence<UInt8>) -> String { "x'" + bytes.map { String(format: "%02x", $0) }.joined() + "'" }
        for sql in [
            "UPDATE Z_METADATA SET Z_PLIST = \(text(list))", "DELETE FROM Z_MODELCACHE", "INSERT INTO Z_MODELCACHE VALUES (\(text(cache)))",
        ] {
            #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        }
        return path
    }

    @Test("A store is brought to the next version by the compiled model that is in it")
    func cached() throws {
        let file = try ModelFile(modelCache: SampleArchive.cache)
        let first = try file.model()
        let path = try store(first, cache: SampleArchive.cache)
        var declarations = try file.version().declarations().entities
        for place in declarations.indices where declarations[place].name == "Book" {
            declarations[place].attributes[0].renamingIdentifier = "title"
            declarations[place].attributes[0].name = "heading"
            declarations[place].attributes.append(Attribute("pages", .integer32, default: 12))
        }
        let second = try ManagedObjectModel(entities: declarations)
        let coordinator = PersistentStoreCoordinator(model: second)
        let opened = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let context = ManagedObjectContext(coordinator)
        let books = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book"))
        #expect(try books.map { try $0.value(forKey: "heading") as? String } == ["Lyrics"])
        #expect(try books.map { try $0.value(forKey: "pages") as? Int } == [12])
        #expect(try coordinator.verify(opened).isEmpty)
        // It keeps its model by itself now.
        #expect(try opened.metadata().model() != nil)
        #expect(try SQLiteDriver().foreignModel(at: .file(path)) == nil)
    }

    @Test("A store whose model cannot be read says what it takes to migrate it")
    func damaged() throws {
        let first = try ModelFile(modelCache: SampleArchive.cache).model()
        let path = try store(first, cache: [1, 2, 3])
        let second = try ManagedObjectModel { Entity("Book") { Attribute("pages", .integer32) } }
        let error = try #require(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: second).addStore(StoreDescription(.sqlite, path: path))
        }
        #expect(error.code == .incompatibleModel)
        #expect((error.underlying as? StoreError)?.code == .missingSourceModel)
    }
}
