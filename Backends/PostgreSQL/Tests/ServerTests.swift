import Foundation
import Strata
import StrataModel
import StrataPlatform
import StrataSQL
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: who may connect, how, and to what", .server, .timeLimit(.minutes(60)), .serialized)
struct ServerTests {
    private static let password = "geheim \\'%:@/ pass"

    private func count(_ description: StoreDescription) throws -> Int {
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(description)
        return try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person"))
    }

    /// A server that asks for passwords.
    private func guarded() throws -> PostgreSQLServer {
        let server = try PostgreSQLServer()
        let scratch = try Scratch(on: server)
        let quoted = ServerTests.password.replacing("'", with: "''")
        try scratch.run("CREATE ROLE guest LOGIN PASSWORD '\(quoted)'; GRANT CREATE ON DATABASE postgres TO guest")
        let rules = "local all strata trust\nlocal all guest scram-sha-256\n"
        try rules.write(toFile: server.dataDirectory + "/pg_hba.conf", atomically: false, encoding: .utf8)
        try server.reload()
        return server
    }

    @Test("A password comes from the address, the credentials, the environment, the password file or a service, and is in no error")
    func passwords() throws {
        let server = try guarded()
        let directory = try TemporaryDirectory()
        let password = ServerTests.password
        let address = "host=\(server.directory) dbname=postgres user=guest"
        let encoded = try #require(password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let plain = "postgresql:///postgres?host=\(server.directory)&user=guest"
        #expect(try count(.postgreSQL(plain + "&password=" + encoded, schema: "a")) == 0)
        let credentials = ServerAddress.Credentials(user: "guest", password: password)
        #expect(try count(.postgreSQL(plain, schema: "b", credentials: credentials)) == 0)
        let wrong = try expectError(.denied) { _ = try count(.postgreSQL(plain + "&password=x" + encoded, schema: "c")) }
        for secret in [password, encoded, "geheim"] { #expect(!String(reflecting: wrong).contains(secret)) }
        let file = directory.path + "/pass", services = directory.path + "/services"
        let escaped = password.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        try "*:*:*:guest:\(escaped)\n".write(toFile: file, atomically: false, encoding: .utf8)
        chmod(file, 0o600)
        try "[strata]\nhost=\(server.directory)\ndbname=postgres\nuser=guest\n"
            .write(toFile: services, atomically: false, encoding: .utf8)
        let environment = ["PGHOST": server.directory, "PGDATABASE": "postgres", "PGUSER": "guest"]
        func failures(_ url: String, _ variables: [String: String]) throws -> [String] {
            let child = try ChildProcess("StrataPostgreSQLWorker", ["count", url, "d", "1"], environment: variables)
            var lines: [String] = []
            while let line = try child.nextLine() { lines.append(line) }
            return lines
        }
        #expect(try failures(address, ["PGPASSWORD": password]) == [])
        #expect(try failures("", environment.merging(["PGPASSWORD": password]) { $1 }) == [])
        #expect(try failures(address, ["PGPASSFILE": file]) == [])
        #expect(try failures("service=strata", ["PGSERVICEFILE": services, "PGPASSFILE": file]) == [])
        let refused = try failures("service=strata", ["PGSERVICEFILE": services, "PGPASSWORD": "geheim too"])
        #expect(refused.count == 1)
        #expect(refused.allSatisfy { $0.hasPrefix("failed denied") })
        #expect(!refused.contains { $0.contains("geheim") })
    }

    @Test("A server is verified by the name in its certificate, and refused where that is another one, or not trusted")
    func certificates() throws {
        let directory = try TemporaryDirectory()
        let (key, certificate) = (directory.path + "/server.key", directory.path + "/server.crt")
        let command = """
            openssl req -new -x509 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost \
            -keyout '\(key)' -out '\(certificate)' 2>/dev/null
            """
        guard ServerTests.shell(command) else { return print("certificates are not tested: openssl makes none here") }
        let server = try PostgreSQLServer()
        let port = Int.random(in: 20_000...30_000)
        let data = server.dataDirectory
        let installs = ServerTests.shell(
            """
            cp '\(key)' '\(certificate)' '\(data)' && chmod 600 '\(data)/server.key' && chown --reference='\(data)' '\(data)'/server.*
            """)
        try #require(installs)
        let configuration = try #require(FileHandle(forWritingAtPath: data + "/postgresql.conf"))
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data("\nssl = on\nlisten_addresses = '127.0.0.1'\nport = \(port)\n".utf8))
        try configuration.close()
        let rules = "hostssl all all 127.0.0.1/32 trust\n"
        try rules.write(toFile: data + "/pg_hba.conf", atomically: false, encoding: .utf8)
        try server.restart()
        func url(_ host: String, _ rest: String) -> String {
            "postgresql://strata@\(host):\(port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full\(rest)"
        }
        #expect(try count(.postgreSQL(url("localhost", "&sslrootcert=\(certificate)"), schema: "a")) == 0)
        try expectError(.io) { _ = try count(.postgreSQL(url("elsewhere.example", "&sslrootcert=\(certificate)"), schema: "a")) }
        try expectError(.io) { _ = try count(.postgreSQL(url("localhost", "&sslrootcert=/dev/null"), schema: "a")) }
        try expectError(.io, .denied) {
            _ = try count(.postgreSQL("postgresql://strata@localhost:\(port)/postgres?hostaddr=127.0.0.1&sslmode=disable", schema: "a"))
        }
    }

    static func shell(_ command: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test("A store for reading only works where nothing can be written")
    func readOnly() throws {
        let scratch = try Scratch()
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue("a", forKey: "name")
        try context.save()
        let url = scratch.url + "&options=-c%20default_transaction_read_only%3Don&target_session_attrs=any"
        var description = StoreDescription.postgreSQL(url, schema: scratch.schema)
        description.isReadOnly = true
        description.options.postsRemoteChanges = true
        #expect(try count(description) == 1)
    }

    @Test("A standby serves a read-only store, and reports replicated changes")
    func standby() throws {
        let primary = try PostgreSQLServer(settings: ["wal_level = replica", "max_wal_senders = 4"])
        let scratch = try Scratch(on: primary)
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue("a", forKey: "name")
        try context.save()
        let secondary = try primary.standby()
        let hosts = "postgresql:///postgres?host=\(primary.directory),\(secondary.directory)&user=strata"
        var description = StoreDescription.postgreSQL(hosts + "&target_session_attrs=prefer-standby", schema: scratch.schema)
        description.isReadOnly = true
        description.options.postsRemoteChanges = true
        let reading = PersistentStoreCoordinator(model: try Sample.model())
        try reading.addStore(description)
        let store = try #require(reading.stores.first as? PostgreSQLStore)
        let connection = try store.pool.openApart(.fetch)
        #expect(try connection.run(SQLText(verbatim: "SELECT pg_is_in_recovery()"), .fetch).text(0, 0) == "t")
        let reader = ManagedObjectContext(reading)
        let people = ObjectFetchRequest<ManagedObject>(entityName: "Person")
        #expect(try reader.fetch(people).count == 1)
        let heard = DispatchSemaphore(value: 0)
        let subscription = reading.observeSaves { event in if event.isRemote { heard.signal() } }
        try context.insert("Person").setValue("b", forKey: "name")
        try context.save()
        #expect(heard.wait(timeout: .now() + 600) == .success)
        #expect(try reader.fetch(people).count == 2)
        withExtendedLifetime(subscription) {}
    }

    @Test("A server that takes no more connections is locked, and one that accepts connections again is not")
    func full() throws {
        let server = try PostgreSQLServer(settings: ["max_connections = 6", "superuser_reserved_connections = 0", "max_wal_senders = 0"])
        let scratch = try Scratch(on: server)
        #expect(try count(scratch.description) == 0)
        var taken: [Connection] = []
        let error = try expectError(.locked) { for _ in 0..<10 { taken.append(try scratch.connection()) } }
        #expect(error.recovery == .retryable)
        try expectError(.locked) { _ = try count(scratch.description) }
        taken = []
        for _ in 0..<60_000 {
            guard (try? scratch.connection()) == nil else { break }
            usleep(10_000)
        }
        #expect(try count(scratch.description) == 0)
    }

    // Who found no connection idle asked the server for one, and failed at once though one came back a moment later.
    @Test("Savers share the connections that there are, where the server has no more")
    func sharing() throws {
        let server = try PostgreSQLServer(settings: ["max_connections = 6", "superuser_reserved_connections = 0", "max_wal_senders = 0"])
        let scratch = try Scratch(on: server)
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(scratch.description)
        @Sendable func save() throws {
            let context = ManagedObjectContext(coordinator)
            try context.insert("Pet")
            try context.save()
        }
        try save()
        let taken = (0..<10).compactMap { _ in try? scratch.connection() }
        for saver in (0..<4).map({ _ in apart { for _ in 0..<5 { try save() } } }) { try saver() }
        #expect(taken.count < 6)
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet", on: taken[0]) == ["21"])
    }

    @Test(
        "A disk that is full fails saves as full, keeps what was saved, and is one no more when there is room again",
        .enabled(if: PostgreSQLServer.mayMount, "mounting a small disk is not allowed here"))
    func fullDisk() throws {
        let server = try PostgreSQLServer(disk: 12)
        let scratch = try Scratch(on: server)
        try scratch.run("CREATE TABLESPACE small LOCATION '\(server.smallDisk)'")
        try scratch.run("ALTER ROLE strata SET default_tablespace = small")
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        try coordinator.addStore(scratch.description)
        try scratch.run("CREATE TABLE \(scratch.schema).filler AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)")
        func save(_ number: Int) throws {
            let context = ManagedObjectContext(coordinator)
            let person = try context.insert("Person")
            try person.setValue("\(number)", forKey: "name")
            try person.setValue(Data((0..<200_000).map { _ in UInt8.random(in: 0...255) }), forKey: "photo")
            try context.save()
        }
        var saved = 0
        let error = try expectError(.full) {
            while saved < 1_000 {
                try save(saved)
                saved += 1
            }
        }
        #expect(error.recovery == .retryable)
        #expect(saved > 3)
        try expectError(.full) { try save(saved) }
        #expect(try count(scratch.description) == saved)
        try scratch.run("DROP TABLE \(scratch.schema).filler")
        try save(saved)
        #expect(try count(scratch.description) == saved + 1)
    }

    @Test("A fetch that is cancelled ends on the server, too")
    func cancelled() async throws {
        let scratch = try Scratch()
        let description = scratch.description
        let store = try openStore(description, model: try Sample.model())
        let cancellation = StoreCancellation()
        let pool = try #require((store as? PostgreSQLStore)?.pool)
        Thread.detachNewThread {
            usleep(200_000)
            cancellation.cancel()
        }
        let connection = try pool.take(.fetch) { _ in }
        try StoreCancellation.$current.withValue(cancellation) {
            try expectError(.cancelled, message: "the task that waits for the answer was cancelled") {
                try connection.execute(SQLText(verbatim: "SELECT pg_sleep(600)"), .fetch)
            }
        }
        #expect(!connection.isReusable)
        pool.give(back: connection)
        #expect(try store.metadata().type == .postgreSQL)
    }
}
