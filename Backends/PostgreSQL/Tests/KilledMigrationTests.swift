import Foundation
import Strata
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: migrations that are killed while others save", .server, .timeLimit(.minutes(60)), .serialized)
struct KilledMigrationTests {
    enum Killing { case process, sessions, server }

    private static let count = 3_000

    /// What a store is at, by the model that it keeps.
    private func version(_ description: StoreDescription) throws -> Int {
        let model = try #require(try description.driver.metadata(at: description.location).model())
        let item = try #require(model.entity(named: "Item"))
        return item.attribute(named: "title") != nil ? 3 : item.attribute(named: "length") != nil ? 2 : 1
    }

    /// The names of all items, in a store that is sound.
    private func names(_ description: StoreDescription) throws -> Set<String> {
        let model = try #require(try description.driver.metadata(at: description.location).model())
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(description)
        #expect(try coordinator.verify(store).isEmpty)
        let items = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item"))
        if model.entity(named: "Item")?.attribute(named: "length") != nil {
            #expect(try items.allSatisfy { try $0.value(forKey: "length") as? Int == 7 })
        }
        let names = try items.compactMap { try $0.value(forKey: "name") as? String }
        #expect(Set(names).count == items.count)
        return Set(names)
    }

    // A migration that is cut off in its middle is the server's business, but for stages, a copy beside the store, and locks of sessions.
    @Test(
        "The store is wholly as before or wholly as after, nothing acknowledged is lost, and the next migration comes to its end",
        arguments: [("altered", Killing.server), ("united", .sessions), ("staged", .process), ("converted", .server)])
    func killed(_ way: String, _ killing: Killing) throws {
        let server = try PostgreSQLServer()
        let scratch = try Scratch(on: server)
        let arguments = [scratch.url, scratch.schema]
        let maker = try ChildProcess("StrataPostgreSQLWorker", ["count"] + arguments + ["1"])
        #expect(try maker.nextLine() == nil)
        try scratch.run(
            """
            INSERT INTO \(scratch.schema).item (_id, _entity, _version, name) \
            SELECT nextval('\(scratch.schema).item_reference'), number, 1, 'p' || n \
            FROM \(scratch.schema).strata_entities, generate_series(1, \(KilledMigrationTests.count)) n WHERE name = 'Item'
            """)
        let savers = try ["a", "b"].map { ($0, try ChildProcess("StrataPostgreSQLWorker", ["save"] + arguments + [$0])) }
        for (_, saver) in savers { #expect(try saver.nextLine() == "ready") }
        func migrating() throws -> ChildProcess {
            let process = try ChildProcess("StrataPostgreSQLWorker", ["migrate"] + arguments + [way])
            #expect(try process.nextLine() == "ready")
            return process
        }
        let migrator = try migrating()
        usleep(.random(in: 0...(way == "altered" ? 100_000 : 600_000)))
        let others = "FROM pg_stat_activity WHERE application_name = 'Strata' AND pid <> pg_backend_pid()"
        switch killing {
        case .process: migrator.kill()
        case .sessions: try scratch.run("SELECT pg_terminate_backend(pid) \(others)")
        case .server:
            try server.crash()
            try server.start()
        }
        _ = try migrator.nextLine()
        migrator.kill()
        // Some saves more.
        usleep(200_000)
        let first = Set((1...KilledMigrationTests.count).map { "p\($0)" })
        var acknowledged = first
        for (name, saver) in savers {
            saver.kill()
            while let line = try saver.nextLine() {
                if line.hasPrefix("saved ") { acknowledged.insert("\(name)-\(line.dropFirst(6))") }
            }
        }
        // The server learns a little later whose processes are gone.
        for _ in 0..<60_000 {
            guard try scratch.run("SELECT count(*) \(others)") != ["0"] else { break }
            usleep(10_000)
        }

        var description = scratch.description
        description.configuration = "items"
        let found: Set<String>
        do { found = try names(description) } catch let error as StoreError where way == "staged" && error.code == .migration {
            // A stage that was cut off is ended before anybody else opens the store.
            #expect(try migrating().nextLine(within: 300) == "done")
            found = try names(description)
        }
        #expect(acknowledged.isSubset(of: found))
        var copy = description
        copy.location = .server(ServerAddress(scratch.url, name: scratch.schema + "_copy"))
        let hasCopy = try scratch.run("SELECT 1 FROM pg_namespace WHERE nspname = '\(scratch.schema)_copy'") == ["1"]
        // The store that is to be filled is made first: it may be there, and empty.
        if try !hasCopy || names(copy).isEmpty {
            let next = try migrating()
            #expect(try next.nextLine(within: 300) == "done")
        }
        if way == "converted" {
            // What was saved to the old store later is there alone.
            let copied = try names(copy)
            #expect(first.isSubset(of: copied))
            for (name, _) in savers {
                func numbers(_ names: Set<String>) -> [Int] {
                    names.compactMap { $0.hasPrefix(name + "-") ? Int($0.dropFirst(2)) : nil }.sorted()
                }
                let saves = numbers(copied)
                #expect(saves == Array(numbers(found).prefix(saves.count)))
            }
        } else {
            #expect(try names(description) == found)
            #expect(try version(description) == (way == "staged" ? 3 : 2))
        }
        if way == "staged" {
            #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).item WHERE title IS DISTINCT FROM name") == ["0"])
        }
        let strays = "nspname LIKE 'strata_migration%' OR nspname LIKE '%_before'"
        #expect(try scratch.run("SELECT nspname FROM pg_namespace WHERE \(strays)") == [])
        try scratch.run("DROP SCHEMA IF EXISTS \(scratch.schema)_copy CASCADE")
    }
}
