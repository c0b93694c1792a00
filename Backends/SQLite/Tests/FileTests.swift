import FoundationEssentials
import StrataEngine
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataPlatform
import StrataQuery
import StrataSQLite
import StrataStore
import StrataTestModels
import Testing

@Suite("Files of a store")
struct FileTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox

    init() throws {
        model = try Models.shop()
        sandbox = try Sandbox()
    }

    private func external(_ name: String = "Store.sqlite") throws -> [String] {
        try ExternalDataDirectory(storePath: sandbox.path(name)).names()
    }

    private func open(_ name: String = "Store.sqlite") throws -> any StoreBackend {
        var options = StoreOptions()
        options.externalStorageThreshold = 100
        return try StrataSQLiteTests.open(sandbox.path(name), model, options: options)
    }

    private func scan(_ byte: UInt8, _ count: Int) -> Value { .data(Data(repeating: byte, count: count)) }

    @Test("A large value lies in a file of its own, which lives as long as a row names it")
    func externalValues() throws {
        let store = try open()
        #expect(try store.insert(row(model, "Book", 1, ["scan": scan(1, 101)]), row(model, "Book", 2, ["scan": scan(2, 99)])).isEmpty)
        #expect(try external().count == 1)
        let name = try #require(external().first)
        #expect(
            try raw(sandbox.path(), "SELECT hex(ZSCAN) FROM ZBOOK WHERE Z_PK = 1")
                == [["02" + name.utf8.map { String($0, radix: 16, uppercase: true) }.joined() + "00"]]
        )
        let book = try #require(model.entity(named: "Book"))
        #expect(try store.fetch(FetchPlan(book)).map { try value($0, "scan", model) } == [scan(1, 101), scan(2, 99)])

        var changes = ChangeSet()
        changes.updated = [
            RowUpdate(row: try row(model, "Book", 1, ["scan": scan(3, 500)], version: 2), changedSlots: try slots(model, "Book", "scan"))
        ]
        try store.read { reader in
            _ = try reader.execute(FetchPlan(book, .count))
            #expect(try store.save(changes).isEmpty)
            // Whoever reads the older state still finds its value.
            let older = try reader.row(root: book.index, reference: 1)
            #expect(try value(#require(older), "scan", model) == scan(1, 101))
        }
        // Its file goes with the next save.
        #expect(try external().count == 2)
        var next = ChangeSet()
        next.inserted = [try row(model, "Book", 9)]
        #expect(try store.save(next).isEmpty)
        #expect(try external().count == 1)
        #expect(try external().first != name)

        let dropped = try store.beginWrite()
        changes = ChangeSet()
        changes.inserted = [try row(model, "Book", 3, ["scan": scan(4, 200)])]
        _ = try dropped.apply(changes)
        #expect(try external().count == 2)
        dropped.rollback()
        #expect(try external().count == 1)

        changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: book.index, reference: 1, expectedVersion: 2)]
        #expect(try store.save(changes).isEmpty)
        #expect(try external().isEmpty)
        try store.close()
    }

    // Another store's rollback after a commit removed the files that the commit had named.
    @Test("A rollback after the commit leaves large values where they are")
    func rollbackAfterCommit() throws {
        let store = try open()
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try row(model, "Book", 1, ["scan": scan(1, 200)])]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        transaction.rollback()
        #expect(try external().count == 1)
        let rows = try store.fetch(FetchPlan(#require(model.entity(named: "Book"))))
        #expect(try rows.map { try value($0, "scan", model) } == [scan(1, 200)])
        try store.close()
    }

    // SQLite reports the second, reading attempt, which finds no file: the error was that the store is missing.
    @Test("A new store in a directory that may not be written is denied", .enabled(if: geteuid() != 0, "a privileged process may"))
    func protectedDirectory() throws {
        #expect(chmod(sandbox.directory, 0o555) == 0)
        defer { chmod(sandbox.directory, 0o755) }
        #expect(code { _ = try open() } == .denied)
        #expect(sandbox.names.isEmpty)
    }

    // It was called read-only, which is what stores are that were opened for reading.
    @Test("A store in a directory that may not be written is denied to writers", .enabled(if: geteuid() != 0, "a privileged process may"))
    func protectedStore() throws {
        try open().close()
        #expect(chmod(sandbox.directory, 0o555) == 0)
        defer { chmod(sandbox.directory, 0o755) }
        #expect(code { _ = try open() } == .denied)
    }

    // SQLite could not make the index of the log, looked for one, and said that it found none: the store was missing.
    @Test(
        "A store with a log, in a directory that may not be written, is denied and not missing",
        .enabled(if: geteuid() != 0, "a privileged process may"))
    func protectedLog() throws {
        let (source, log) = (sandbox.path("Source.sqlite"), sandbox.path() + "-wal")
        let system = PosixFileSystem.shared
        let store = try StrataSQLiteTests.open(source, model)
        #expect(try store.insert(row(model, "Book", 1)).isEmpty)
        for (from, to) in [(source, sandbox.path()), (source + "-wal", log)] {
            let content = try system.contents(of: from)
            #expect(!content.isEmpty)
            try Data(content).write(to: URL(filePath: to))
        }
        try store.close()
        #expect(chmod(sandbox.directory, 0o555) == 0)
        defer { chmod(sandbox.directory, 0o755) }
        for isReadOnly in [true, false] {
            #expect(code { _ = try StrataSQLiteTests.open(sandbox.path(), model, isReadOnly: isReadOnly) } == .denied)
        }
        #expect(code { _ = try SQLiteDriver().metadata(at: sandbox.path()) } == .denied)
    }

    @Test("A value whose file is missing is unavailable, and its row is read")
    func missingFile() throws {
        let store = try open()
        #expect(try store.insert(row(model, "Book", 1, ["scan": scan(1, 101)])).isEmpty)
        let values = ExternalDataDirectory(storePath: sandbox.path())
        try values.remove(values.names())
        let book = try #require(model.entity(named: "Book"))
        let found = try #require(try store.fetch(FetchPlan(book)).first)
        let slot = try #require(try slots(model, "Book", "scan").first)
        #expect(found.unavailableValue(slot)?.reason == .missing)
        try store.close()
    }

    @Test("Destroying a store removes all its files, but not while it is open")
    func destroy() throws {
        let store = try open()
        #expect(try store.insert(row(model, "Book", 1, ["scan": scan(1, 101)])).isEmpty)
        #expect(code { try SQLiteDriver.sqlite.destroy(at: sandbox.path()) } == .locked)
        #expect(try store.fetch(FetchPlan(#require(model.entity(named: "Book")))).count == 1)
        try store.close()
        try SQLiteDriver.sqlite.destroy(at: sandbox.path())
        #expect(sandbox.names.isEmpty)
        try SQLiteDriver.sqlite.destroy(at: sandbox.path())
        try SQLiteDriver.sqlite.destroy(at: sandbox.path("no/Store.sqlite"))
    }

    /// Programs of root may remove the device.
    @Test("A store that keeps nothing is not destroyed, and nothing is copied there")
    func destroyNull() throws {
        #expect(code { try SQLiteDriver.sqlite.destroy(at: .null) } == .missing)
        #expect(code { try SQLiteDriver.sqlite.replace(at: .null, withStoreAt: .file(sandbox.path())) } == .missing)
        #expect(try PosixFileSystem.shared.status(of: "/dev/null", followingLinks: true).kind == .other)
    }

    @Test("Replacing a store puts a copy at its path, with what is still in the log and with external values")
    func replace() throws {
        let source = try open("Source.sqlite")
        #expect(try source.insert(row(model, "Book", 1, ["isbn": "s", "scan": scan(1, 101)])).isEmpty)
        let target = try open()
        #expect(try target.insert(row(model, "Book", 1, ["isbn": "t", "scan": scan(2, 101)]), row(model, "Book", 2)).isEmpty)
        #expect(code { try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: sandbox.path("Source.sqlite")) } == .locked)
        #expect(try external().count == 1)
        try target.close()
        try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: sandbox.path("Source.sqlite"))
        #expect(try external() == external("Source.sqlite"))
        let copy = try open()
        #expect(copy.id == source.id)
        let rows = try copy.fetch(FetchPlan(#require(model.entity(named: "Book"))))
        #expect(try rows.map { try value($0, "scan", model) } == [scan(1, 101)])
        try copy.close()
        try source.close()
        #expect(sandbox.names == [".Source_SUPPORT", ".Store_SUPPORT", "Source.sqlite", "Store.sqlite"])
    }

    @Test("A store can be put where none is")
    func copyToNew() throws {
        let source = try open("Source.sqlite")
        #expect(try source.insert(row(model, "Book", 1)).isEmpty)
        try source.close()
        try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: sandbox.path("Source.sqlite"))
        let copy = try open()
        #expect(try copy.fetch(FetchPlan(#require(model.entity(named: "Book")))).count == 1)
        try copy.close()
        #expect(code { try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: sandbox.path("None.sqlite")) } == .missing)
    }

    @Test("Reading a closed store leaves no files behind")
    func readingLeavesNothing() throws {
        try open().close()
        _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path())
        let store = try StrataSQLiteTests.open(sandbox.path(), model, isReadOnly: true)
        #expect(try store.fetch(FetchPlan(#require(model.entity(named: "Book")))).isEmpty)
        #expect(code { _ = try store.beginWrite() } == .readOnly)
        try store.close()
        #expect(sandbox.names == ["Store.sqlite"])
    }

    @Test("The application's pragmas are set over the store's own")
    func pragmas() throws {
        let store = try StrataSQLiteTests.open(sandbox.path(), model, pragmas: ["page_size": "8192", "journal_mode": "DELETE"])
        #expect(try store.insert(row(model, "Book", 1)).isEmpty)
        try store.close()
        let head = try PosixFileSystem.shared.contents(of: sandbox.path())
        #expect(head[16] == 0x20)
        #expect(head[18] == 1)
        for (name, value) in [("cache_size", "1; DROP TABLE ZBOOK"), ("a b", "1"), ("x", "'y'"), ("", "1"), ("x", "")] {
            #expect(code { _ = try StrataSQLiteTests.open(sandbox.path(), model, pragmas: [name: value]) } == .wrongValue)
        }
    }

    /// A log that was long once took its room for good.
    @Test("A log that one great save made long does not stay so")
    func greatLog() throws {
        let store = try open()
        var changes = ChangeSet()
        changes.inserted = try (1...30).map { try row(model, "Book", $0, ["cover": scan(UInt8($0), 1 << 20)]) }
        #expect(try store.save(changes).isEmpty)
        #expect(try PosixFileSystem.shared.status(of: sandbox.path() + "-wal").size > 30 << 20)
        for reference in 31...33 as ClosedRange<Int64> { #expect(try store.insert(row(model, "Book", reference)).isEmpty) }
        #expect(try PosixFileSystem.shared.status(of: sandbox.path() + "-wal").size <= 20_000_000)
    }

    @Test("Triggers of Apple's derived attributes run")
    func triggers() throws {
        try open().close()
        try raw(
            sandbox.path(),
            "CREATE TRIGGER Z_DA_ZTAG_x AFTER INSERT ON ZTAG FOR EACH ROW BEGIN UPDATE ZTAG SET ZWORD = 'set' WHERE Z_PK = NEW.Z_PK; "
                + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZTAG', Z_ENT, Z_PK, 'word', ZWORD) FROM ZTAG; END"
        )
        let store = try open()
        #expect(try store.insert(row(model, "Tag", 1)).isEmpty)
        #expect(try raw(sandbox.path(), "SELECT ZWORD FROM ZTAG") == [["set"]])
        try store.close()
    }

    @Test("A store that a migration left in quotes and with other suffixes is read")
    func migrated() throws {
        let model = try ManagedObjectModel {
            Entity("A") { Relationship("bs", to: "B", inverse: "as", .ordered) }
            Entity("B", attributes: ["late": .string], relationships: ["as": .toMany("A.bs")])
        }
        let path = sandbox.path()
        try StrataSQLiteTests.open(path, model).close()
        try raw(path, "DROP TABLE Z_1BS")
        try raw(path, "CREATE TABLE \"Z_2AS\" ( Z_2BS1 INTEGER, Z_1AS INTEGER, Z_FOK_2BS1 INTEGER, PRIMARY KEY (Z_2BS1, Z_1AS) )")
        try raw(path, "DROP TABLE Z_MODELCACHE")
        let store = try StrataSQLiteTests.open(path, model)
        var changes = ChangeSet()
        changes.inserted = [try row(model, "A", 1), try row(model, "B", 2, ["late": "x"])]
        changes.links = [LinkChange(table: 0, kind: .put, link: Link(first: 1, second: 2, orderInFirst: 1024))]
        #expect(try store.save(changes).isEmpty)
        #expect(try store.read { try $0.links(of: model.linkTables[0]) } == [Link(first: 1, second: 2, orderInFirst: 1024)])
        #expect(try raw(path, "SELECT Z_1AS, Z_2BS1, Z_FOK_2BS1 FROM Z_2AS") == [["1", "2", "1024"]])
        try store.close()
    }
}
