import CStrataSQLite
import Foundation
import Strata
import StrataSQLite
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataModelFiles

@Suite("Stores that another program made")
struct CachedModelMigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A store as Core Data leaves it: the hashes of its model, and its compiled model.
    private func store(_ model: ManagedObjectModel, cache: [UInt8], hashesOf hashed: ManagedObjectModel? = nil) throws -> String {
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
        let hashes = (hashed ?? model).entityVersionHashesByName.mapValues { Data($0) }
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

    @Test("A store is migrated to the next version by its own compiled model")
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

    @Test("A store of Core Data's opens with the compiled model that is in it")
    func ownModel() throws {
        let path = try store(try ModelFile(modelCache: SampleArchive.cache).model(), cache: SampleArchive.cache)
        let description = StoreDescription(.sqlite, path: path)
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: description)
        let books = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book"))
        #expect(try books.map { try $0.value(forKey: "title") as? String } == ["Lyrics"])
        let metadata = try description.driver.metadata(at: description.location)
        #expect(metadata.isForeign)
        #expect(metadata.versionHashes == coordinator.model.entityVersionHashesByName)
    }

    @Test("A compiled model of another version than the store's hashes is an error, and nothing changes")
    func contradiction() throws {
        let model = try ModelFile(modelCache: SampleArchive.cache).model()
        let other = try ManagedObjectModel { Entity("Book") { Attribute("pages", .integer32) } }
        let path = try store(model, cache: SampleArchive.cache, hashesOf: other)
        let before = try Data(contentsOf: URL(filePath: path))
        let error = try #require(throws: StoreError.self) {
            _ = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path))
        }
        #expect(error.code == .corrupt)
        #expect(error.path == path)
        #expect(error.message == "the model in the store's cache is of another version than its hashes")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("A store of Core Data's without a readable model says so", arguments: [[], [1, 2, 3]])
    func noModel(_ cache: [UInt8]) throws {
        let path = try store(try ModelFile(modelCache: SampleArchive.cache).model(), cache: cache)
        let error = try #require(throws: StoreError.self) {
            _ = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path))
        }
        #expect(error.code == .incompatibleModel)
        #expect(error.message == "the store does not keep the model that it was made with")
    }

    @Test("A compiled model of changed or truncated bytes is a typed error that names the file, and nothing changes", arguments: 0..<40)
    func damagedModel(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = try ModelFile(modelCache: SampleArchive.cache).model()
        var archive = try Inflater.inflate(SampleArchive.cache, limit: 1 << 20)
        if seed.isMultiple(of: 4) { archive.removeLast(Int.random(in: 1..<archive.count, using: &generator)) }
        for _ in 0..<(1 << (seed % 6)) {
            archive[Int.random(in: 0..<archive.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let path = try store(model, cache: Deflater.deflate(archive))
        let before = try Data(contentsOf: URL(filePath: path))
        do {
            let coordinator = try PersistentStoreCoordinator(
                openingWithOwnModel: StoreDescription(.sqlite, path: path, isReadOnly: true))
            #expect(coordinator.model.entityVersionHashesByName == model.entityVersionHashesByName)
        } catch let error as StoreError {
            #expect([.corrupt, .incompatibleModel].contains(error.code), "\(error)")
            #expect(error.path == path)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("A store of Core Data's is opened by its hashes, whatever its columns hold")
    func judgedByHashes() throws {
        let file = try ModelFile(modelCache: SampleArchive.cache)
        let path = try store(try file.model(), cache: SampleArchive.cache)
        var entities = try file.version().declarations().entities
        for index in entities.indices where entities[index].name == "Book" {
            for attribute in entities[index].attributes.indices where entities[index].attributes[attribute].name == "title" {
                entities[index].attributes[attribute].isOptional.toggle()
            }
        }
        var description = StoreDescription(.sqlite, path: path)
        description.shouldMigrateStoreAutomatically = false
        let error = try #require(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: try ManagedObjectModel(entities: entities)).addStore(description)
        }
        #expect(error.code == .incompatibleModel)
        #expect(error.entity == "Book")
        #expect(error.message == "the store was made with another version of: Book")
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
