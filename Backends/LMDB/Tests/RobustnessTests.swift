import CStrataLMDB
import Foundation
import StrataCoordinator
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataPlatform
import StrataQuery
import StrataStore
import StrataTestRandom
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataLMDB

@Suite("LMDB: growth, isolation, damage", .timeLimit(.minutes(60)))
struct RobustnessTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    func open(_ driver: LMDBDriver = LMDBDriver()) throws -> any StoreBackend {
        try driver.open(Sample.description(scratch.file()), model: model)
    }

    func people(_ references: ClosedRange<Int64>, _ length: Int = 100) throws -> [Row] {
        try references.map {
            try maker.row("Person", $0, ["name": .string("\($0)" + String(repeating: "x", count: length)), "age": .int($0 % 90)])
        }
    }

    @Test("The map grows while a snapshot is held, which goes on showing what it did, and ends with the store")
    func growthUnderSnapshot() throws {
        let store = try open(LMDBDriver(initialMapSize: 128 << 10))
        let plan = try maker.plan("Person")
        try store.insert(try people(1...10))
        let snapshot = try #require(try store.holdSnapshot())
        for part in Int64(0)..<10 { try store.insert(try people(part * 500 + 11...part * 500 + 510, 400)) }
        func count() throws -> Int {
            try snapshot.read { reader in
                guard case .rows(let rows, _) = try reader.execute(plan) else { return -1 }
                return rows.count
            }
        }
        #expect(try count() == 10)
        #expect(try store.fetch(plan).count == 5010)
        #expect(try snapshot.read { try $0.row(root: #require(model.entity(named: "Person")).root, reference: 11) } == nil)
        try store.close()
        #expect(code { _ = try count() } == .closed)
        // The file was closed, too: it can be replaced.
        try LMDBDriver().destroy(at: .file(scratch.file()))
    }

    @Test("A small map grows by itself, over several change sets of one transaction")
    func growth() throws {
        let store = try open(LMDBDriver(initialMapSize: 128 << 10))
        let person = try #require(model.entity(named: "Person"))
        let transaction = try store.beginWrite()
        for part in Int64(0)..<10 {
            let first = try transaction.reserveReferences(500, root: person.root)
            #expect(first == part * 500 + 1)
            var changes = ChangeSet()
            changes.inserted = try people(first...(first + 499), 400)
            #expect(try transaction.apply(changes).isEmpty)
        }
        try transaction.prepare()
        try transaction.commit()
        #expect(try store.count(try maker.plan("Person", result: .count)) == 5000)
        #expect(try store.fetch(try maker.plan("Person", key("name").beginsWith("4999x"))).map(\.reference) == [4999])
        try store.close()
        let again = try open()
        #expect(try again.fetch(try maker.plan("Person")).count == 5000)
    }

    @Test("A reader sees one snapshot while others save, and what it got stays")
    func isolation() throws {
        let store = try open()
        try store.insert(try people(1...10))
        var kept: [Row] = []
        try store.read { reader in
            try store.insert(try people(11...20))
            if case .rows(let rows, _) = try reader.execute(try maker.plan("Person")) { kept = rows }
            #expect(try store.count(try maker.plan("Person", result: .count)) == 20)
        }
        #expect(kept.count == 10)
        var changes = ChangeSet()
        changes.deleted = kept.map { RowDeletion(entity: $0.entityIndex, reference: $0.reference, expectedVersion: 1) }
        try store.save(changes)
        try store.insert(try people(21...2000))
        try store.close()
        #expect(kept.map { maker.value($0, "age") } == (1...10).map { .int($0) })
    }

    @Test("What is rolled back, or dropped, leaves nothing")
    func rollback() throws {
        let store = try open()
        try store.insert(try people(1...3))
        var changes = ChangeSet()
        changes.inserted = try people(4...6)
        do {
            let transaction = try store.beginWrite()
            #expect(try transaction.apply(changes).isEmpty)
        }
        let second = try store.beginWrite()
        #expect(try second.apply(changes).isEmpty)
        second.rollback()
        #expect(code { try second.commit() } == .closed)
        #expect(try store.count(try maker.plan("Person", result: .count)) == 3)
        #expect(try store.save(changes).isEmpty)
    }

    // A rollback after the commit used to remove the files that the commit had just named: the value was lost, and its row unreadable.
    @Test("A rollback after the commit, as every clean-up makes one, leaves large values where they are", arguments: [false, true])
    func rollbackAfterCommit(isReleasedOnly: Bool) throws {
        let store = try open()
        let photo = Value.data(Data(repeating: 7, count: 2 << 20))
        do {
            let transaction = try store.beginWrite()
            var changes = ChangeSet()
            changes.inserted = [try maker.row("Person", 1, ["photo": photo])]
            #expect(try transaction.apply(changes).isEmpty)
            try transaction.commit()
            if !isReleasedOnly { transaction.rollback() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/.Store_SUPPORT/_EXTERNAL_DATA").count == 1)
        #expect(try store.fetch(try maker.plan("Person")).map { maker.value($0, "photo") } == [photo])
    }

    // The files were kept where the commit's outcome was unknown, but only until the caller rolled back.
    @Test("Where it is unknown whether a commit took effect, a rollback leaves the files that it references")
    func rollbackAfterUnknownOutcome() throws {
        let store = try open()
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try maker.row("Person", 1, ["photo": .data(Data(repeating: 7, count: 2 << 20))])]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        var descriptor: mdb_filehandle_t = 0
        #expect(mdb_env_get_fd(try #require(store as? LMDBStore).environment.handle, &descriptor) == 0)
        let unwritable = StrataPlatform.open("/dev/null", O_RDONLY)
        #expect(dup2(unwritable, descriptor) == descriptor)
        #expect(StrataPlatform.close(unwritable) == 0)
        #expect { try transaction.commit() } throws: { ($0 as? StoreError)?.code == .io }
        #expect(
            messageOfError { try store.read { _ in } }
                == "an earlier write failed in a way that leaves the file's state unknown; open the store again")
        transaction.rollback()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/.Store_SUPPORT/_EXTERNAL_DATA").count == 1)
    }

    @Test("Two stores of a process share one file and wait for their turn to write")
    func sharing() throws {
        let a = try open()
        let b = try LMDBDriver().open(Sample.description(scratch.file()) { $0.options.timeout = 0.05 }, model: model)
        try a.insert(try people(1...2))
        #expect(try b.count(try maker.plan("Person", result: .count)) == 2)
        let transaction = try a.beginWrite()
        #expect(code { _ = try b.beginWrite() } == .locked)
        transaction.rollback()
        try a.close()
        try b.insert(try people(3...3))
        #expect(code { try LMDBDriver().destroy(at: scratch.file()) } == .locked)
        try b.close()
        try LMDBDriver().destroy(at: scratch.file())
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        try LMDBDriver().destroy(at: scratch.file())
    }

    @Test("Threads read and write together; no save is lost")
    func threads() throws {
        let store = try open(LMDBDriver(initialMapSize: 128 << 10))
        let person = try #require(model.entity(named: "Person"))
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        for number in 0..<4 {
            DispatchQueue.global().async(group: group) {
                do {
                    for _ in 0..<40 {
                        if number == 0 {
                            let rows = try store.fetch(try maker.plan("Person"))
                            if rows.count % 10 != 0 { failures.withLock { $0.append("saw \(rows.count) rows") } }
                            continue
                        }
                        let transaction = try store.beginWrite()
                        let first = try transaction.reserveReferences(10, root: person.root)
                        var changes = ChangeSet()
                        changes.inserted = try people(first...(first + 9), 300)
                        _ = try transaction.apply(changes)
                        try transaction.commit()
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try store.count(try maker.plan("Person", result: .count)) == 1200)
    }

    @Test("A transaction refuses another thread")
    func otherThread() throws {
        let store = try open()
        let transaction = try store.beginWrite()
        nonisolated(unsafe) let other = transaction
        let answer = Mutex<String?>(nil)
        let thread = Thread { answer.withLock { $0 = messageOfError { try other.prepare() } } }
        thread.start()
        while !thread.isFinished { usleep(1000) }
        #expect(answer.withLock { $0 } == "a transaction was used on another thread than began it")
        transaction.rollback()
        try store.insert(try people(1...1))
    }

    @Test("A copy replaces a store, with the files of large values")
    func replacement() throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["photo": .data(Data(repeating: 3, count: 2 << 20))])])
        let other = try LMDBDriver().open(Sample.description(scratch.file("Other.lmdb")), model: model)
        try other.insert([try maker.row("Person", 9, ["photo": .data(Data(repeating: 4, count: 2 << 20))])])
        #expect(code { try LMDBDriver().replace(at: scratch.file("Other.lmdb"), withStoreAt: scratch.file()) } == .locked)
        try other.close()
        try LMDBDriver().replace(at: scratch.file("Other.lmdb"), withStoreAt: scratch.file())
        let copy = try LMDBDriver().open(Sample.description(scratch.file("Other.lmdb")), model: model)
        let rows = try copy.fetch(try maker.plan("Person"))
        try #require(rows.map(\.reference) == [1])
        #expect(maker.value(rows[0], "photo") == .data(Data(repeating: 3, count: 2 << 20)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/.Other_SUPPORT/_EXTERNAL_DATA").count == 1)
    }

    @Test("A store opened for reading only is not written")
    func readOnly() throws {
        let path = scratch.file()
        #expect(code { _ = try LMDBDriver().open(Sample.description(path) { $0.isReadOnly = true }, model: model) } == .missing)
        #expect(!FileManager.default.fileExists(atPath: path))
        let store = try open()
        try store.insert(try people(1...2))
        try store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let reader = try LMDBDriver().open(Sample.description(path) { $0.isReadOnly = true }, model: model)
        #expect(try reader.fetch(try maker.plan("Person")).count == 2)
        #expect(code { _ = try reader.beginWrite() } == .readOnly)
        try reader.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    func run(_ program: String, _ arguments: [String]) throws {
        let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    // MARK: - Models

    @Test("Indexes that the model gains are filled, and entities elsewhere in the model may come")
    func newIndexes() throws {
        let plain = try Sample.model(indexed: false)
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: plain)
        try store.insert(try people(1...50))
        let again = try open()
        #expect(try again.fetch(try maker.plan("Person", key("name").beginsWith("17x"))).map(\.reference) == [17])
        #expect(code { _ = try store.fetch(try RowMaker(model: plain).plan("Person")) } == .incompatibleModel)
        try store.close()
        try again.close()

        let wider = try Sample.model(extra: true)
        let wide = RowMaker(model: wider)
        let third = try LMDBDriver().open(Sample.description(scratch.file()), model: wider)
        #expect(wider.entity(named: "Person")?.index != model.entity(named: "Person")?.index)
        try third.insert([try wide.row("Student", 51, ["name": "new"])])
        let rows = try third.fetch(try wide.plan("Person", key("name") == "new" || key("name").beginsWith("17x")))
        #expect(rows.map { wider.entities[$0.entityIndex].name } == ["Person", "Student"])
        try third.close()
        #expect(try open().fetch(try maker.plan("Student")).map(\.reference) == [51])
    }

    @Test("Another model is refused, and the file stays as it is")
    func otherModel() throws {
        let store = try open()
        try store.close()
        let path = scratch.file()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let other = try ManagedObjectModel {
            Entity("Person") { Attribute("name", .integer64) }
            EntityConfiguration("main", "Person")
        }
        #expect(code { _ = try LMDBDriver().open(Sample.description(path), model: other) } == .incompatibleModel)
        #expect(
            code { _ = try LMDBDriver().open(Sample.description(path) { $0.options.ignoresModelVersion = true }, model: other) }
                == .incompatibleModel
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("A forked process is refused before it touches the file")
    func fork() throws {
        let store = try open()
        try store.insert(try people(1...3))
        let child = StrataPlatform.fork()
        if child == 0 {
            let message = "the store was opened before the process was forked; open it again"
            let refused =
                messageOfError { _ = try store.read { _ in } } == message && messageOfError { _ = try store.beginWrite() } == message
            _exit(refused ? 0 : 1)
        }
        var status: Int32 = -1
        var ended: pid_t = 0
        for _ in 0..<2000 where ended == 0 {
            ended = waitpid(child, &status, WNOHANG)
            if ended == 0 { usleep(5000) }
        }
        if ended == 0 { kill(child, SIGKILL) }
        #expect(ended == child)
        #expect(status == 0)
        #expect(try store.count(try maker.plan("Person", result: .count)) == 3)
    }

    @Test("Errors of LMDB and of the system become a store's")
    func errors() {
        let cases: [(Int32, StoreError.Code)] = [
            (ENOSPC, .full), (EACCES, .denied), (EIO, .io), (MDB_CORRUPTED, .corrupt), (MDB_PANIC, .closed), (MDB_READERS_FULL, .locked),
        ]
        for (status, expected) in cases {
            #expect(StoreError(LMDBStatus(code: status, call: "test"), .save, path: nil).code == expected)
        }
        #expect(StoreError(LMDBStatus(code: MDB_PANIC, call: "test"), .save, path: nil).recovery == .reopen)
        #expect(StoreError(CancellationError(), .save, path: nil).message == "an unexpected failure")
    }
}
