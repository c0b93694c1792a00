import CStrataLMDB
import Foundation
import StrataEngine
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataLMDB

@Suite("LMDB: files that another program changes while they are open", .timeLimit(.minutes(60)))
struct ChangedFileTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func open() throws -> any StoreBackend { try LMDBDriver().open(Sample.description(scratch.file()), model: model) }

    private func people(_ references: ClosedRange<Int64>) throws -> [Row] {
        try references.map { try maker.row("Person", $0, ["name": .string(String(repeating: "x", count: 300))]) }
    }

    private func failure(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch { return error as? StoreError }
    }

    // What LMDB reads past the end of its map is a bus error, which ends the process.
    @Test("A file that is cut while it is open is an error", arguments: [0, 100, 4096, 8192, 20_000])
    func cut(length: Int) throws {
        let store = try open()
        try store.insert(try people(1...200))
        #expect(truncate(scratch.file(), off_t(length)) == 0)
        let expected: StoreError.Code = length == 0 ? .replaced : .corrupt
        let read = failure { _ = try store.fetch(try maker.plan("Person")) }
        #expect(read?.code == expected, "\(String(describing: read))")
        #expect(read?.recovery == .reopen, "\(String(describing: read))")
        let message = "the file was truncated from … to \(length) bytes while it was open; open the store again"
        #expect(masked(read?.message, message) == message)
        let saved = failure { try store.insert(try people(201...201)) }
        #expect(saved?.code == expected, "\(String(describing: saved))")
        #expect(saved?.recovery == .reopen, "\(String(describing: saved))")
        try store.close()
        if length > 0 { #expect(code { _ = try open() } == .corrupt) }
    }

    // LMDB took the number of the next save from its lock file and the trees from a head that was older.
    @Test("A backup that is copied over an open file is noticed, and the store is the backup when it is opened again")
    func overwritten() throws {
        let store = try open()
        try store.insert(try people(1...10))
        try run("/bin/cp", [scratch.file(), scratch.file("backup")])
        try store.insert(try people(11...20))
        try store.insert(try people(21...25))
        // Within the file's length, so that only the heads tell.
        try run("/bin/dd", ["if=" + scratch.file("backup"), "of=" + scratch.file(), "conv=notrunc", "status=none"])
        for failure in [
            failure { try store.insert(try people(26...26)) }, failure { _ = try store.fetch(try maker.plan("Person")) },
        ] {
            #expect(failure?.code == .replaced, "\(String(describing: failure))")
            #expect(failure?.recovery == .reopen, "\(String(describing: failure))")
        }
        try store.close()
        #expect(try open().count(try maker.plan("Person", result: .count)) == 10)
    }

    // The size of the map was taken from the random bytes; LMDB unmapped the file before that failed, and the process ended.
    @Test("Random bytes that are written over an open file are noticed", arguments: [false, true], [20_000, 100_000])
    func junk(savesFirst: Bool, length: Int) throws {
        let store = try open()
        try store.insert(try people(1...10))
        var random = SeededGenerator(seed: 7)
        let bytes = Data((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        try bytes.write(to: URL(fileURLWithPath: scratch.file("junk")))
        try run("/bin/dd", ["if=" + scratch.file("junk"), "of=" + scratch.file(), "conv=notrunc", "status=none"])
        let read: () throws -> Void = { _ = try store.fetch(try maker.plan("Person")) }
        let save: () throws -> Void = { try store.insert(try people(11...11)) }
        for attempt in savesFirst ? [save, read] : [read, save] {
            let error = failure(attempt)
            #expect(error?.code == .replaced, "\(String(describing: error))")
            #expect(error?.recovery == .reopen, "\(String(describing: error))")
        }
        try store.close()
        #expect([.corrupt, .foreign].contains(code { _ = try open() }))
    }

    @Test("A file that was removed while a save was under way takes no save, and a path with another file is not opened beside it")
    func removedDuringSave() throws {
        let store = try open()
        try store.insert(try people(1...1))
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = try people(2...2)
        #expect(try transaction.apply(changes).isEmpty)
        try FileManager.default.removeItem(atPath: scratch.file())
        #expect(code { try transaction.prepare() } == .missing)
        let message = "the file that was at this path is still open in this process; close its stores first"
        #expect(failure { _ = try open() }?.message == message)
        // Reading goes on with what was there.
        #expect(try store.count(try maker.plan("Person", result: .count)) == 1)
        try store.close()
        #expect(try open().count(try maker.plan("Person", result: .count)) == 0)
    }

    // A power loss between a save and what follows it left a file that was refused as damaged for ever.
    @Test("A file without the unused pages at its end is whole; without one that is in use it is damaged")
    func unusedTail() throws {
        let store = try open()
        try store.insert(try people(1...100))
        try store.insert(try people(101...600))
        var changes = ChangeSet()
        changes.deleted = (101...600).map {
            RowDeletion(entity: model.entity(named: "Person")?.index ?? 0, reference: $0, expectedVersion: 1)
        }
        try store.save(changes)
        // Until the trees have moved to pages that the deletion gave back.
        for reference in Int64(101)...130 { try store.insert(try people(reference...reference)) }
        try store.close()
        var content = try Data(contentsOf: URL(fileURLWithPath: scratch.file()))
        var opened = 0
        while content.count > 4096 {
            content.removeLast(4096)
            try content.write(to: URL(fileURLWithPath: scratch.file()))
            do {
                let cut = try open()
                #expect(try cut.fetch(try maker.plan("Person")).map(\.reference) == Array(1...130))
                try cut.close()
                opened += 1
                // Opening it for writing may have filled it up again.
                try content.write(to: URL(fileURLWithPath: scratch.file()))
            } catch {
                #expect((error as? StoreError)?.code == .corrupt, "\(error)")
            }
        }
        #expect(opened > 0)
    }

    private func run(_ tool: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
