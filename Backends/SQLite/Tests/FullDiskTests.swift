import FoundationEssentials
import StrataFiles
import StrataModel
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

/// A directory on a small disk in memory, where the process may have one.
private final class SmallDisk {
    let path: String

    init?(_ size: Int) {
        path = "/tmp/strata-small-\(UUID().uuidString)"
        guard mkdir(path, 0o755) == 0 else { return nil }
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
            rmdir(path)
            return nil
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    static let isPossible = SmallDisk(1 << 20) != nil
}

// A transaction filled the disk with its part of the log, which stayed; or it fitted into the log, and never from there into the database.
// Nothing could be saved any more, nor deleted.
@Suite("A full disk", .enabled(if: SmallDisk.isPossible, "the process may not mount a disk"))
struct FullDiskTests {
    private let disk: SmallDisk
    private let model: ManagedObjectModel

    init() throws {
        disk = try #require(SmallDisk(4 << 20))
        model = try ManagedObjectModel(entities: [Entity("Note") { Attribute("text", .string) }])
    }

    private func note(_ number: Int64, _ length: Int) throws -> Row {
        try row(model, "Note", number, ["text": .string(String(repeating: "x", count: length))])
    }

    private func deletion(_ numbers: ClosedRange<Int64>) throws -> ChangeSet {
        var changes = ChangeSet()
        changes.deleted = numbers.map { RowDeletion(entity: 0, reference: $0, expectedVersion: 1) }
        return changes
    }

    @Test("A save that does not fit leaves the disk as it was, and deletions and smaller saves work", arguments: [2_500_000, 8_000_000])
    func greatSave(size: Int) throws {
        let path = disk.path + "/Store.sqlite"
        let store = try open(path, model)
        for number in 1...20 { #expect(try store.insert(note(Int64(number), 50_000)).isEmpty) }
        let before = try PosixFileSystem.shared.space(at: path).available
        let error = #expect(throws: StoreError.self) {
            var changes = ChangeSet()
            changes.inserted = try (0..<100).map { try note(Int64(100 + $0), size / 100) }
            try store.save(changes)
        }
        #expect(error?.code == .full, "\(error.map { "\($0)" } ?? "")")
        #expect(try PosixFileSystem.shared.space(at: path).available > before - 1_200_000)
        #expect(try store.save(deletion(1...10)).isEmpty)
        for number in 200...205 { #expect(try store.insert(note(Int64(number), 50_000)).isEmpty) }
        try store.close()
        let again = try open(path, model)
        #expect(try again.fetch(FetchPlan(#require(model.entity(named: "Note")))).count == 16)
        try again.close()
    }

    @Test("A save that would not fit from the log into the database is refused before its commit")
    func growth() throws {
        let store = try open(disk.path + "/Store.sqlite", model)
        let message = "the disk has … free bytes, and the database would grow by …"
        var number: Int64 = 0
        var failure: String?
        while failure == nil && number < 100 {
            number += 1
            failure = messageOfError { _ = try store.insert(note(number, 300_000)) }
        }
        #expect(masked(failure, message) == message)
        try store.close()
    }

    @Test("A save that fails while its indexes are made leaves them as they were")
    func indexes() throws {
        let path = disk.path + "/Store.sqlite"
        let model = try ManagedObjectModel {
            Entity("Note") {
                Attribute("text", .string)
                FetchIndex("byText", on: "text")
            }
        }
        let store = try open(path, model)
        #expect(try store.insert(row(model, "Note", 1, ["text": "first"])).isEmpty)
        var outcomes: [Bool] = []
        // From what fits not even without an index to what fits with it.
        for length in stride(from: 1_600, through: 50, by: -50) {
            var changes = ChangeSet()
            changes.inserted = try (2...1_501).map {
                try row(model, "Note", $0, ["text": .string("\($0) " + String(repeating: "x", count: length))])
            }
            let failure = code { try store.save(changes) }
            #expect(failure == nil || failure == .full)
            outcomes.append(failure == nil)
            #expect(try raw(path, "SELECT count(*) FROM ZNOTE INDEXED BY Z_Note_byText") == [[failure == nil ? "1501" : "1"]])
            if failure == nil { break }
        }
        #expect(outcomes.last == true)
        #expect(outcomes.contains(false))
        try store.close()
        #expect(try raw(path, "PRAGMA integrity_check") == [["ok"]])
    }

    @Test("A disk that single saves filled is freed by deleting")
    func manySaves() throws {
        let path = disk.path + "/Store.sqlite"
        let store = try open(path, model)
        var count: Int64 = 0
        for round in 1...3 {
            let first = count
            do {
                while true {
                    #expect(try store.insert(note(count + 1, 20_000)).isEmpty)
                    count += 1
                }
            } catch let error as StoreError { #expect(error.code == .full, "\(error)") }
            #expect(count > first + 20, "in round \(round)")
            // In steps, as a deletion too needs room in the log.
            for start in stride(from: first + 1, through: count - 4, by: 4) {
                #expect(try store.save(deletion(start...(start + 3))).isEmpty)
            }
        }
        try store.close()
        #expect(try raw(path, "PRAGMA integrity_check") == [["ok"]])
    }
}
