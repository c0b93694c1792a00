import CStrataSQLite
import Foundation
import StrataModel
import StrataStore
import Testing

// Without a log a process that is killed while it saves may leave the file half written, with a journal beside it. Connections that only read may
// not take that back: every read failed until somebody wrote.
@Suite("A journal that a killed process left")
struct HotJournalTests {
    @Test("is rolled back by who reads next", arguments: ["delete", "truncate", "persist"])
    func read(mode: String) throws {
        let sandbox = try Sandbox()
        let path = sandbox.path()
        let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        let store = try open(path, model, pragmas: ["journal_mode": mode])
        var changes = ChangeSet()
        changes.inserted = try (1...500).map { try row(model, "Note", $0, ["text": .string(String(repeating: "a", count: 400))]) }
        #expect(try store.save(changes).isEmpty)
        try leaveHalfASave(path, mode)
        let notes = try store.fetch(FetchPlan(#require(model.entity(named: "Note"))))
        #expect(notes.count == 500)
        for note in notes { #expect(try value(note, "text", model) == .string(String(repeating: "a", count: 400))) }
        #expect(try store.insert(row(model, "Note", 501)).isEmpty)
        try store.close()
        #expect(try raw(path, "PRAGMA integrity_check") == [["ok"]])
    }

    /// Has the file and its journal be what they are in the middle of a transaction that writes more than the cache holds.
    private func leaveHalfASave(_ path: String, _ mode: String) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        let begin = "PRAGMA journal_mode = \(mode); PRAGMA cache_size = 10; BEGIN; UPDATE ZNOTE SET ZTEXT = replace(ZTEXT, 'a', 'b')"
        try #require(sqlite3_exec(handle, begin, nil, nil, nil) == SQLITE_OK)
        let (file, journal) = try (Data(contentsOf: URL(fileURLWithPath: path)), Data(contentsOf: URL(fileURLWithPath: path + "-journal")))
        try #require(sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(handle)
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        // At the same path: another file would not be the store's.
        let written = try #require(FileHandle(forWritingAtPath: path))
        try written.write(contentsOf: file)
        try written.close()
    }
}
