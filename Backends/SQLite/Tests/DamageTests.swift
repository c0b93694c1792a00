import FoundationEssentials
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import StrataTestRandom
import Testing

@testable import StrataSQLite

@Suite("Foreign and damaged files")
struct DamageTests {
    private func write(_ bytes: [UInt8], _ path: String) throws {
        let replacement = try AtomicReplacement.prepare(path: path, forcing: .nothing) { sink in try sink.write(bytes) }
        try replacement.commit()
    }

    private func populated() throws -> (ManagedObjectModel, [UInt8]) {
        let model = try Models.shop()
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        var changes = ChangeSet()
        for index in 1...60 {
            changes.inserted.append(
                try row(
                    model,
                    index % 2 == 0 ? "Comic" : "Book",
                    Int64(index),
                    [
                        "isbn": .string("isbn \(index)"), "pages": .int(Int64(index)), "scan": .data(Data(repeating: 1, count: 300)),
                    ]
                )
            )
        }
        #expect(try store.save(changes).isEmpty)
        try store.close()
        return (model, try PosixFileSystem.shared.contents(of: sandbox.path()))
    }

    @Test(
        "A file of another kind is distinguished from a damaged one, and left as it was",
        arguments: [
            ("hello", StoreError.Code.foreign), ("<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM", .wrongType),
            ("<?xml version=\"1.0\"?>", .foreign), ("SQLite format 3", .foreign),
            ("SQLite format 3\u{0}", .foreign), (" ", .foreign),
        ]
    )
    func foreign(text: String, expected: StoreError.Code) throws {
        let sandbox = try Sandbox()
        try write(Array(text.utf8), sandbox.path())
        let model = try Models.shop()
        #expect(code { _ = try open(sandbox.path(), model) } == expected)
        #expect(code { _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path()) } == expected)
        #expect(try PosixFileSystem.shared.contents(of: sandbox.path()) == Array(text.utf8))
        #expect(sandbox.names == ["Store.sqlite"])
    }

    /// A file that lost the end of its last page opened: SQLite reads zeros there, and values were wrong without an error.
    @Test("A file that ends within a page is refused when it is opened", arguments: [1, 100, 4095])
    func endWithinPage(missing: Int) throws {
        let (model, whole) = try populated()
        let sandbox = try Sandbox()
        try write(Array(whole.dropLast(missing)), sandbox.path())
        let error = #expect(throws: StoreError.self) { _ = try open(sandbox.path(), model) }
        let pageSize = 4096
        #expect(error?.code == .corrupt)
        #expect(error?.message == "the file was cut off: its last page has \(pageSize - missing) of 4096 bytes")
        #expect(sandbox.names == ["Store.sqlite"])
    }

    /// Verifying a store on a disk that failed found the file damaged.
    @Test("A page that the system fails to read is no problem of the file, one that is damaged is")
    func unreadPages() {
        func code(_ report: String) -> Int32? { SQLiteFailure.codeOfUnreadPage(in: report) }
        #expect(code("*** in database main ***\nPage 5: unable to get the page. error code=8458\nPage 9: never used") == 8458)
        #expect(code("Tree 4 page 7: unable to get the page. error code=7") == 7)
        for report in ["Page 5: unable to get the page. error code=8202", "Page 5: error code=10", "wrong # of entries in index I_1", ""] {
            #expect(code(report) == nil)
        }
        #expect(code("Page 5: unable to get the page. error code=11") == nil)
    }

    @Test("Another application's database is foreign, and is left as it was")
    func otherDatabase() throws {
        let sandbox = try Sandbox()
        try raw(sandbox.path(), "CREATE TABLE t (a)")
        let before = try PosixFileSystem.shared.contents(of: sandbox.path())
        let model = try Models.shop()
        #expect(code { _ = try open(sandbox.path(), model) } == .foreign)
        #expect(
            code {
                try SQLiteDriver.sqlite.setMetadata(
                    StoreMetadata(type: .init(rawValue: "SQLite"), storeID: "", versionHashes: [:]),
                    at: sandbox.path()
                )
            } == .foreign
        )
        #expect(try PosixFileSystem.shared.contents(of: sandbox.path()) == before)
    }

    @Test("No directory, a directory, and no file to read are errors of their own")
    func paths() throws {
        let sandbox = try Sandbox()
        let model = try Models.shop()
        #expect(code { _ = try open(sandbox.path("no/Store.sqlite"), model) } == .missing)
        #expect(code { _ = try open(sandbox.directory, model) } == .foreign)
        #expect(code { _ = try open(sandbox.path(), model, isReadOnly: true) } == .missing)
        #expect(code { _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path()) } == .missing)
        #expect(sandbox.names.isEmpty)
    }

    @Test("Opening fails cleanly where SQLite cannot open the file")
    func unopenable() throws {
        let sandbox = try Sandbox()
        let model = try Models.shop()
        let long = String(repeating: "x", count: 240)
        // The name is legal, but leaves no room for the companion files' names.
        let path = sandbox.path(long + String(repeating: "y", count: 15))
        #expect(code { try open(path, model).close() } != nil)
        #expect(sandbox.names.isEmpty)
    }

    @Test("A file of no length is a new store")
    func empty() throws {
        let sandbox = try Sandbox()
        try write([], sandbox.path())
        let model = try Models.shop()
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, "Book", 1)).isEmpty)
        try store.close()
    }

    @Test("Another version of the model is refused, unless the version is ignored")
    func otherModel() throws {
        let sandbox = try Sandbox()
        let (model, bytes) = try populated()
        try write(bytes, sandbox.path())
        let other = try ManagedObjectModel {
            Entity("Author") { Attribute("name", .string) }
            Entity("Book") { Attributes(["isbn": .string, "isNew": .boolean]) }
        }
        #expect(code { _ = try open(sandbox.path(), other) } == .incompatibleModel)
        #expect(try PosixFileSystem.shared.contents(of: sandbox.path()) == bytes)
        var options = StoreOptions()
        options.ignoresModelVersion = true
        let store = try open(sandbox.path(), other, isReadOnly: true, options: options)
        var plan = FetchPlan(try #require(other.entity(named: "Book")))
        plan.includesSubentities = false
        plan.predicate = try (key("isbn") == "isbn 1").resolved(for: plan.entity, in: other)
        let found = try store.read { reader in
            guard case .rows(let rows, _) = try reader.execute(plan) else { return [Row]() }
            return rows
        }
        #expect(try value(#require(found.first), "isbn", other) == "isbn 1")
        #expect(try value(#require(found.first), "isNew", other).isNull)
        try store.close()
        _ = model
    }

    /// Opens, reads and writes everything; whatever happens is an error and no trap.
    private func exercise(_ path: String, _ model: ManagedObjectModel) -> Bool {
        do {
            let store = try open(path, model)
            defer { try? store.close() }
            for entity in model.entities { _ = try store.fetch(FetchPlan(entity)) }
            for table in model.linkTables { _ = try store.read { try $0.links(of: table) } }
            var changes = ChangeSet()
            changes.inserted = [try row(model, "Book", 1000, ["isbn": "new"])]
            try store.save(changes)
            return true
        } catch {
            #expect(error is StoreError || error is QueryError, "\(error)")
            return false
        }
    }

    @Test("Truncated files give errors and nothing else")
    func truncation() throws {
        let (model, bytes) = try populated()
        let sandbox = try Sandbox()
        for length in stride(from: 0, to: bytes.count, by: 1499) {
            for suffix in ["", "-wal", "-shm", "-journal"] { try PosixFileSystem.shared.removeIfPresent(sandbox.path() + suffix) }
            try write(Array(bytes.prefix(length)), sandbox.path())
            #expect(exercise(sandbox.path(), model) == (length == 0), "\(length)")
        }
    }

    @Test("Files with changed bytes give errors or rows, and nothing else", arguments: 0..<4)
    func edits(seed: UInt64) throws {
        let (model, bytes) = try populated()
        let sandbox = try Sandbox()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            for suffix in ["", "-wal", "-shm", "-journal"] { try PosixFileSystem.shared.removeIfPresent(sandbox.path() + suffix) }
            var damaged = bytes
            for _ in 0..<(1 + generator.next() % 8) {
                let page = Int(generator.next() % UInt64(bytes.count / 4096)) * 4096
                let offset = generator.next() % 2 == 0 ? Int(generator.next() % 64) : Int(generator.next() % 4096)
                damaged[page + offset] = UInt8(truncatingIfNeeded: generator.next())
            }
            try write(damaged, sandbox.path())
            _ = exercise(sandbox.path(), model)
            _ = try? SQLiteDriver.sqlite.metadata(at: sandbox.path())
        }
    }
}
