import Foundation
import Strata
import StrataModel
import StrataSQLite
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

// A client paused between PREPARE TRANSACTION and the decision, and the server lost its sessions: another process that opened the store found no
// decision and rolled back, the client went on, took 42704 at COMMIT PREPARED for success, and acknowledged a save that one store lacked.
@Suite("PostgreSQL: two-phase commit of a client that pauses", .server, .timeLimit(.minutes(60)), .serialized)
struct TwoPhaseCommitTests {
    enum Pairing: String, CaseIterable { case sqlite, servers }
    enum Disturbance: String, CaseIterable { case none, sessions, opened, sessionsAndOpened, elsewhere, crash }

    private static let isSoak = ProcessInfo.processInfo.environment["STRATA_SOAK"] == "1"

    /// Two stores, one of them on a server.
    private struct Site {
        let scratch: Scratch
        let other: Scratch
        let directory: TemporaryDirectory
        let pairing: Pairing

        init(_ pairing: Pairing, _ server: PostgreSQLServer) throws {
            (scratch, other, directory) = (try Scratch(on: server), try Scratch(on: server), try TemporaryDirectory())
            self.pairing = pairing
        }

        var path: String { directory.path + "/notes.sqlite" }

        var descriptions: [StoreDescription] {
            var (items, notes) = (scratch.description, pairing == .sqlite ? StoreDescription(.sqlite, path: path) : other.description)
            (items.configuration, notes.configuration) = ("items", "notes")
            items.options.timeout = 2
            notes.options.timeout = 2
            return [items, notes]
        }

        func open(_ step: (@Sendable (String) -> Void)? = nil, _ indexes: [Int] = [0, 1]) throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(model: try WorkerModel.model.get())
            for index in indexes {
                var description = descriptions[index]
                if let step {
                    description.driver = WatchedDriver(description.driver) { if Self.isPhase($0) { step($0) } }
                }
                try coordinator.addStore(description)
            }
            return coordinator
        }

        /// Opens the stores as another machine does that has another store at the path of the notes, and saves there.
        func saveElsewhere() throws {
            let away = directory.path + ".away"
            try FileManager.default.moveItem(atPath: directory.path, toPath: away)
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
            defer {
                try? FileManager.default.removeItem(atPath: directory.path)
                try? FileManager.default.moveItem(atPath: away, toPath: directory.path)
            }
            let coordinator = try open()
            let context = ManagedObjectContext(coordinator)
            _ = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item"))
            try context.insert("Item").setValue("elsewhere", forKey: "name")
            try context.save()
            for store in coordinator.stores { try coordinator.remove(store) }
        }

        /// Whether a step is of one of the two phases.
        private static func isPhase(_ step: String) -> Bool { step.hasPrefix("prepare") || step.hasPrefix("commit") }

        /// The files of saves over several stores.
        var records: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
                    ["record", "pending", "confirmed", "decided", "aborted"].contains { name.hasSuffix("." + $0) }
                }
            }
        }

        func endSessions() throws {
            let others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
            try scratch.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE \(others)")
        }
    }

    private static func save(_ name: String, _ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        for entity in ["Item", "Note"] { try context.insert(entity).setValue(name, forKey: "name") }
        try context.save()
    }

    private static func names(_ entity: String, _ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: entity))
            .map { try $0.value(forKey: "name") as? String ?? "" }.sorted()
    }

    @Test("is in all stores or in none, whatever happens meanwhile", arguments: Pairing.allCases)
    func pausing(_ pairing: Pairing) throws {
        let server = try PostgreSQLServer()
        var steps: [String] = []
        let first = try Site(pairing, server)
        let passed = Mutex<[String]>([])
        let coordinator = try first.open { step in passed.withLock { $0.append(step) } }
        passed.withLock { $0 = [] }
        try Self.save("a", coordinator)
        steps = passed.withLock { $0 }
        #expect(steps.contains { $0.hasPrefix("prepared") }, "\(steps)")
        #expect(steps.contains { $0.hasPrefix("commit") }, "\(steps)")
        for disturbance in Disturbance.allCases where disturbance != .crash || Self.isSoak {
            if disturbance == .elsewhere, pairing == .servers { continue }
            for index in steps.indices {
                try disturb(disturbance, at: index, try Site(pairing, server), server, "\(pairing) \(disturbance) \(index) \(steps[index])")
            }
        }
        // A crash at the steps around the decision.
        if !Self.isSoak {
            for index in steps.indices where steps[index].hasPrefix("prepared") || steps[index].hasPrefix("commit") {
                try disturb(.crash, at: index, try Site(pairing, server), server, "\(pairing) crash \(index) \(steps[index])")
            }
        }
    }

    private func disturb(
        _ disturbance: Disturbance, at index: Int, _ site: Site, _ server: PostgreSQLServer, _ story: String
    ) throws {
        let count = Atomic(0)
        let isArmed = Atomic(false)
        let failure = Mutex<String?>(nil)
        let coordinator = try site.open { _ in
            guard isArmed.load(ordering: .relaxed), count.add(1, ordering: .relaxed).oldValue == index else { return }
            do {
                if disturbance == .crash {
                    try server.crash()
                    try server.start()
                }
                if [.sessions, .sessionsAndOpened, .elsewhere].contains(disturbance) { try site.endSessions() }
                if disturbance == .elsewhere { return try site.saveElsewhere() }
                if disturbance != .none && disturbance != .sessions { _ = try site.open() }
            } catch { failure.withLock { $0 = "\(error)" } }
        }
        isArmed.store(true, ordering: .relaxed)
        var isSaved = true
        do { try Self.save("b", coordinator) } catch let error as StoreError {
            isSaved = false
            #expect(error.recovery != .permanent, "\(story): \(error)")
        }
        #expect(failure.withLock { $0 } == nil, "\(story)")
        for store in coordinator.stores { try? coordinator.remove(store) }
        let again = try site.open()
        let found = try [Self.names("Item", again).filter { $0 != "elsewhere" }, Self.names("Note", again)]
        #expect(found[0] == found[1], "\(story): \(found), saved \(isSaved)")
        #expect(!isSaved || found[0] == ["b"], "\(story): \(found)")
        try Self.save("c", again)
        #expect(try site.scratch.run("SELECT gid FROM pg_prepared_xacts") == [], "\(story)")
        #expect(try site.records == [], "\(story)")
    }

    // A client that died after the server's commit left a `.decided` file beside the file store for good.
    @Test("leaves no file where its client died after the server's commit, once both stores are open", arguments: [[0, 1], [1, 0]])
    func diedAfterCommit(_ indexes: [Int]) throws {
        let server = try PostgreSQLServer()
        let site = try Site(.sqlite, server)
        let pending = Mutex<[String: Data]>([:])
        do {
            let coordinator = try site.open { step in
                guard step.hasPrefix("committed prepared") else { return }
                pending.withLock { pending in
                    for name in (try? site.records) ?? [] {
                        pending[name] = FileManager.default.contents(atPath: site.directory.path + "/" + name)
                    }
                }
            }
            try Self.save("a", coordinator)
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        #expect(try site.records == [])
        // The client died before it removed its files.
        let left = pending.withLock { $0 }
        #expect(left.count == 1)
        for (name, bytes) in left { try bytes.write(to: URL(fileURLWithPath: site.directory.path + "/" + name)) }
        do {
            let alone = try site.open(nil, [1])
            #expect(try site.records.map { $0.hasSuffix(".decided") } == [true])
            for store in alone.stores { try alone.remove(store) }
        }
        let again = try site.open(nil, indexes)
        #expect(try site.records == [])
        #expect(try Self.names("Item", again) == ["a"])
        #expect(try Self.names("Note", again) == ["a"])
    }

    // A client that died before the server had prepared its save left an `.aborted` file beside the file store for good.
    @Test(
        "leaves no file where its client died before the server had prepared it, once both stores are open and nothing can be prepared any more",
        arguments: [[0, 1], [1, 0]])
    func diedBeforePreparing(_ indexes: [Int]) throws {
        let server = try PostgreSQLServer()
        let site = try Site(.sqlite, server)
        let records = Mutex<[String: Data]>([:])
        do {
            let coordinator = try site.open { step in
                guard step.hasPrefix("prepare as") else { return }
                records.withLock { records in
                    for name in (try? site.records) ?? [] {
                        records[name] = FileManager.default.contents(atPath: site.directory.path + "/" + name)
                    }
                }
                try? site.endSessions()
            }
            #expect(throws: StoreError.self) { try Self.save("a", coordinator) }
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        #expect(try site.records == [])
        let (name, bytes) = try #require(records.withLock { $0 }.first)
        try bytes.write(to: URL(fileURLWithPath: site.directory.path + "/" + name))
        func open(_ indexes: [Int]) throws {
            let coordinator = try site.open(nil, indexes)
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        try open([1])
        #expect(try site.records.map { $0.hasSuffix(".aborted") } == [true])
        // The client wrote the row, and the server may still execute PREPARE TRANSACTION: its transaction has changed the store.
        let id = try #require(name.split(separator: ".").dropLast().last)
        let schema = site.scratch.schema
        try site.scratch.run("INSERT INTO \(schema).strata_prepared (id, transaction, home_id) VALUES ('\(id)', 'strata \(id)', 'a')")
        let client = try site.scratch.connection()
        _ = try site.scratch.run("BEGIN", on: client)
        _ = try site.scratch.run("INSERT INTO \(schema).strata_changes (writer, save, kind, relation) VALUES ('', '', '', '')", on: client)
        try open(indexes)
        #expect(try site.records.count == 1)
        _ = try site.scratch.run("ROLLBACK", on: client)
        try open(indexes)
        #expect(try site.records == [])
        #expect(try site.scratch.run("SELECT id FROM \(schema).strata_prepared") == [])
        let again = try site.open(nil, indexes)
        #expect(try Self.names("Item", again) == [])
        #expect(try Self.names("Note", again) == [])
    }

    // Recovery took any file at the path of the coordinator record for the store that decides: half of a decided save was rolled back.
    @Test("stays in doubt where another store is at the path of the coordinator record; other rows are read and written meanwhile")
    func anotherStoreAtThePath() throws {
        let server = try PostgreSQLServer()
        for (isThere, resolution) in [(true, InterruptedSaveResolution.apply), (false, .forget)] {
            let site = try Site(.sqlite, server)
            do {
                let coordinator = try site.open()
                try Self.save("a", coordinator)
                try Self.save("other", coordinator)
                for store in coordinator.stores { try coordinator.remove(store) }
            }
            let model = try WorkerModel.model.get()
            let entity = try #require(model.entity(named: "Item"))
            var description = site.descriptions[0]
            // A client on another machine that prepares a change of the first item, and dies.
            do {
                let store = try #require(try openStore(description, model: model) as? any PreparingStore)
                let transaction = try #require(try store.beginWrite() as? any PreparingTransaction)
                guard case .rows(let rows, _) = try store.answer(FetchPlan(entity)),
                    let row = rows.min(by: { $0.reference < $1.reference })
                else {
                    Issue.record("no row")
                    return
                }
                var changes = ChangeSet()
                changes.deleted = [RowDeletion(entity: entity.index, reference: row.reference, expectedVersion: row.version)]
                #expect(try transaction.apply(changes).isEmpty)
                let path = isThere ? site.path : site.path + ".gone"
                try transaction.prepare(
                    as: PreparedSave(id: UUID().uuidString, decidingStoreID: StoreID("another"), decidingStore: .file(path)))
                try store.close()
            }
            let isWorkedOn = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 1400140642"
            while try !site.scratch.run(isWorkedOn).isEmpty { usleep(5_000) }
            description.options.timeout = 0.3
            let coordinator = PersistentStoreCoordinator(model: model)
            let store = try coordinator.addStore(description)
            #expect(try Self.names("Item", coordinator) == ["a", "other"])
            let context = ManagedObjectContext(coordinator)
            let items = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item"))
            func item(_ name: String) throws -> ManagedObject {
                try #require(try items.first { try $0.value(forKey: "name") as? String == name })
            }
            try item("other").setValue("changed", forKey: "name")
            try context.insert("Item").setValue("new", forKey: "name")
            try context.save()
            try item("a").setValue("b", forKey: "name")
            let error = try #require(throws: StoreError.self) { try context.save() }
            #expect(error.code == .locked)
            #expect(error.recovery == .retryable)
            #expect(error.message.contains("in doubt"), "\(error)")
            let batch = BatchUpdateRequest(entityName: "Item", key("name") == .string("a"), set: ["name": Value.string("b")])
            try expectError(.locked) { _ = try coordinator.execute(batch) }
            #expect(try site.scratch.run("SELECT count(*) FROM pg_prepared_xacts") == ["1"])
            try coordinator.remove(store)
            #expect(try coordinator.resolveInterruptedSaves(of: description, by: resolution).count == 1)
            #expect(try coordinator.resolveInterruptedSaves(of: description, by: resolution).isEmpty)
            try coordinator.addStore(description)
            #expect(try Self.names("Item", coordinator) == (resolution == .apply ? [] : ["a"]) + ["changed", "new"])
        }
    }
}
