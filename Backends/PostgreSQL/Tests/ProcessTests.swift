import Foundation
import Strata
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: processes and servers that are killed", .server, .timeLimit(.minutes(60)), .serialized)
struct ProcessTests {
    /// A process that saves, and what was acknowledged to it.
    private final class Saver {
        let name: String
        private let process: ChildProcess
        private(set) var acknowledged: [String] = []
        private(set) var failures: [String] = []

        init(_ arguments: [String], _ name: String, _ path: String? = nil) throws {
            self.name = name
            process = try ChildProcess("StrataPostgreSQLWorker", arguments + [name] + (path.map { [$0] } ?? []))
            while let line = try process.nextLine(), line != "ready" { failures.append(line) }
        }

        private func next() throws -> Bool {
            guard let line = try process.nextLine() else { return false }
            if line.hasPrefix("saved ") { acknowledged.append("\(name)-\(line.dropFirst(6))") } else { failures.append(line) }
            return true
        }

        /// Waits until so many more saves were acknowledged.
        func wait(forSaves count: Int) throws {
            let count = acknowledged.count + count
            while acknowledged.count < count, try next() {}
        }

        /// Kills the process, and takes in what it said.
        func kill() throws {
            process.kill()
            while try next() {}
        }
    }

    private func names(_ scratch: Scratch) throws -> [String] { try scratch.run("SELECT name FROM \(scratch.schema).item") }

    private func makeStore(_ scratch: Scratch) throws {
        let child = try ChildProcess("StrataPostgreSQLWorker", ["count", scratch.url, scratch.schema, "1"])
        #expect(try child.nextLine() == nil)
    }

    @Test("Eight processes that add to one counter lose no update, and none sees a deadlock or a failure to serialize")
    func counting() throws {
        let scratch = try Scratch()
        try makeStore(scratch)
        try scratch.run(
            """
            INSERT INTO \(scratch.schema).counter (_id, _entity, _version, value) SELECT 1, number, 1, 0 \
            FROM \(scratch.schema).strata_entities WHERE name = 'Counter'
            """)
        let children = try (0..<8).map { _ in try ChildProcess("StrataPostgreSQLWorker", ["count", scratch.url, scratch.schema, "25"]) }
        for child in children { #expect(try child.nextLine(within: 300) == "done") }
        #expect(try scratch.run("SELECT value FROM \(scratch.schema).counter") == ["200"])
    }

    @Test("What was acknowledged is there, however often the server's processes, or all of it, are killed in the middle of saves")
    func crashes() throws {
        let server = try PostgreSQLServer()
        let scratch = try Scratch(on: server)
        try makeStore(scratch)
        let savers = try (0..<3).map { try Saver(["save", scratch.url, scratch.schema], "w\($0)") }
        let others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        for _ in 0..<3 {
            for saver in savers { try saver.wait(forSaves: 1) }
            let processes = try scratch.run("SELECT pid \(others)")
            // The server takes the kill of one of its processes for a crash of all.
            if let process = processes.compactMap({ pid_t($0) }).randomElement() { StrataPlatform.kill(process, SIGKILL) }
            usleep(300_000)
            _ = try? scratch.run("SELECT pg_terminate_backend(pid) \(others)")
            usleep(200_000)
            try server.crash()
            usleep(100_000)
            try server.start()
        }
        // All of them go on.
        for saver in savers { try saver.wait(forSaves: 2) }
        for saver in savers { try saver.kill() }
        let names = try names(scratch)
        #expect(Set(names).count == names.count)
        for saver in savers {
            #expect(Set(saver.acknowledged).isSubset(of: names))
            let expected = ["failed io", "failed inDoubt", "failed locked"]
            let unexpected = saver.failures.filter { failure in !expected.contains { failure.hasPrefix($0) } }
            #expect(unexpected == [])
        }
    }

    @Test(
        "Saves over a server and another store are in both or in neither, whichever process is killed, and nothing stays prepared",
        arguments: ["both", "servers"])
    func federated(_ command: String) throws {
        let server = try PostgreSQLServer()
        let (scratch, other) = (try Scratch(on: server), try Scratch(on: server))
        let directory = try TemporaryDirectory()
        let path = command == "both" ? directory.path + "/notes.sqlite" : other.schema
        let arguments = [command, scratch.url, scratch.schema]
        var acknowledged: [String] = []
        for round in 0..<4 {
            let savers = try (0..<2).map { try Saver(arguments, "r\(round)w\($0)", path) }
            for saver in savers { try saver.wait(forSaves: 2) }
            usleep(.random(in: 0...100_000))
            if round % 2 == 1 {
                try server.crash()
                usleep(50_000)
                try server.start()
                usleep(300_000)
            }
            for saver in savers {
                try saver.kill()
                acknowledged += saver.acknowledged
            }
        }
        let coordinator = PersistentStoreCoordinator(model: try WorkerModel.model.get())
        var description = scratch.description
        description.configuration = "items"
        // The server learns a little later whose processes are gone.
        usleep(500_000)
        try coordinator.addStore(description)
        var notes = command == "both" ? StoreDescription(.sqlite, path: path) : other.description
        notes.configuration = "notes"
        try coordinator.addStore(notes)
        let context = ManagedObjectContext(coordinator)
        func names(_ entity: String) throws -> [String] {
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity)).compactMap {
                try $0.value(forKey: "name") as? String
            }.sorted()
        }
        let items = try names("Item")
        #expect(try names("Note") == items)
        #expect(!acknowledged.isEmpty)
        #expect(Set(acknowledged).isSubset(of: items))
        #expect(try scratch.run("SELECT gid FROM pg_prepared_xacts") == [])
    }
}

/// The model of the processes.
enum WorkerModel {
    static let model = Result.declared {
        Entity("Counter") { Attribute("value", .integer64) }
        Entity("Item") { Attribute("name", .string) }
        Entity("Note") { Attribute("name", .string) }
        EntityConfiguration("items", "Counter", "Item")
        EntityConfiguration("notes", "Note")
    }
}
