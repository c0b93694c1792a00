import Foundation
import StrataCoordinator
import StrataEngine
import StrataFiles
import StrataModel
import StrataSQLite
import StrataStore
import StrataTestRandom
import StrataTestSupport
import Testing

/// One changed bit in twenty of a database's file changes a value that SQLite then answers as if it had been saved.
@Suite("Checksums of pages")
struct PageChecksumTests {
    private let model: ManagedObjectModel
    private let sandbox: Sandbox

    init() throws {
        model = try Models.shop()
        sandbox = try Sandbox()
    }

    private func open(_ driver: SQLiteDriver, isReadOnly: Bool = false, _ pragmas: [String: String] = [:]) throws -> any StoreBackend {
        var driver = driver
        driver.pragmas = pragmas
        return try driver.open(StoreDescription(driver, path: sandbox.path(), isReadOnly: isReadOnly), model: model)
    }

    private func populate(_ driver: SQLiteDriver, _ references: ClosedRange<Int64> = 1...200) throws {
        let store = try open(driver)
        var changes = ChangeSet()
        changes.inserted = try references.map { reference in
            try row(
                model, "Book", reference,
                ["isbn": .string("isbn \(reference)"), "pages": .int(reference), "scan": .data(Data(repeating: 1, count: 300))])
        }
        #expect(try store.save(changes).isEmpty)
        try store.close()
    }

    private func books(_ pragmas: [String: String] = [:]) throws -> [Row] {
        let store = try open(.sqlite, isReadOnly: true, pragmas)
        defer { try? store.close() }
        return try store.fetch(FetchPlan(try #require(model.entity(named: "Book"))))
    }

    private func reserved() throws -> UInt8 { try PosixFileSystem.shared.contents(of: sandbox.path())[20] }

    private func problems() throws -> [StoreProblem] {
        try PersistentStoreCoordinator.verifyStore(StoreDescription(.sqlite, path: sandbox.path()), model: model)
    }

    /// A page that is mapped does not pass by the checksums.
    @Test("No changed bit becomes another value, and verifying finds each", arguments: [[:], ["mmap_size": "1000000000"]])
    func flips(_ pragmas: [String: String]) throws {
        try populate(.sqlite(pageChecksums: true))
        let sound = try books()
        #expect(try problems() == [])
        let bytes = try PosixFileSystem.shared.contents(of: sandbox.path())
        var random = SeededGenerator(seed: RunSeed.value)
        var refused = 0
        var messages: Set<String> = []
        for _ in 0..<150 {
            for suffix in ["-wal", "-shm"] { try PosixFileSystem.shared.removeIfPresent(sandbox.path() + suffix) }
            var damaged = bytes
            let offset = Int(random.next() % UInt64(bytes.count))
            damaged[offset] ^= 1 << UInt8(random.next() % 8)
            try Data(damaged).write(to: URL(fileURLWithPath: sandbox.path()))
            do {
                let found = try books(pragmas)
                #expect(found.count == sound.count, "seed=\(RunSeed.value) byte \(offset)")
                for (row, other) in zip(found, sound) {
                    #expect(Array(row.bytes) == Array(other.bytes), "seed=\(RunSeed.value) byte \(offset)")
                }
            } catch {
                refused += 1
                if let message = (error as? StoreError)?.message { messages.insert(message) }
                #expect(code { throw error } == .corrupt || offset < 100, "seed=\(RunSeed.value) byte \(offset): \(error)")
            }
            // Where the first bytes are damaged it is no database any more.
            let isFound = (try? problems().isEmpty) != true
            #expect(isFound, "seed=\(RunSeed.value) byte \(offset)")
        }
        #expect(refused > 50)
        #expect(messages.contains("checksum mismatch in a page of the database"))
    }

    @Test("Are kept by saves of later processes, and by an emptied log")
    func kept() throws {
        try populate(.sqlite(pageChecksums: true))
        try populate(.sqlite, 201...400)
        #expect(try reserved() == 8)
        #expect(try books().count == 400)
        #expect(try problems() == [])
    }

    @Test("Come to a store without them when it is opened so, while another connection goes on")
    func added() throws {
        try populate(.sqlite)
        #expect(try reserved() == 0)
        let other = try open(.sqlite)
        try populate(.sqlite(pageChecksums: true), 201...400)
        #expect(try other.insert(row(model, "Book", 1000, ["isbn": "late"])).isEmpty)
        try other.close()
        #expect(try reserved() == 8)
        #expect(try books().count == 401)
        #expect(try problems() == [])
    }

    @Test("Are missed where the damage is to the number of bytes that they take")
    func reservation() throws {
        try populate(.sqlite(pageChecksums: true))
        var bytes = try PosixFileSystem.shared.contents(of: sandbox.path())
        for suffix in ["-wal", "-shm"] { try PosixFileSystem.shared.removeIfPresent(sandbox.path() + suffix) }
        bytes[20] = 0
        try Data(bytes).write(to: URL(fileURLWithPath: sandbox.path()))
        #expect(
            messageOfError { try open(.sqlite).close() } == "the head of the database is damaged: its pages should have checksums")
        #expect(try problems().map(\.kind) == [.file])
    }

    @Test("Are not there unless asked for, so that Apple's systems may write the file")
    func absent() throws {
        try populate(.sqlite)
        #expect(try reserved() == 0)
        #expect(try raw(sandbox.path(), "PRAGMA application_id") == [["0"]])
    }
}
