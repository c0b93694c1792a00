import Foundation
import Strata
import StrataPlatform
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

/// A connection pooler before the tests' server, which ends with that.
final class PgBouncer: Sendable {
    static let program: String? = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first { FileManager.default.isExecutableFile(atPath: $0) }

    let url: String

    /// - Parameters:
    ///   - mode: Its pool mode.
    ///   - connections: The number of its connections to the server.
    init(_ mode: String, connections: Int = 20) throws {
        let server = try PostgreSQLServer.shared.get()
        let program = try #require(PgBouncer.program)
        let name = "bouncer-\(mode)-\(UInt32.random(in: 0...UInt32.max))"
        let directory = "\(server.directory)/\(name)"
        let isStarted = ServerTests.shell(
            """
            mkdir '\(directory)' && cat >'\(directory)/ini' <<INI
            [databases]
            postgres = host=\(server.directory) user=strata dbname=postgres
            [pgbouncer]
            listen_addr =
            unix_socket_dir = \(directory)
            listen_port = 6432
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = \(connections)
            max_client_conn = 1000
            pidfile = \(server.directory)/\(name).pid
            logfile = \(directory)/log
            INI
            as=
            if [ "$(id -u)" = 0 ]; then
                user=postgres; id postgres >/dev/null 2>&1 || user=nobody
                chown "$user" '\(directory)'
                as="setpriv --reuid=$user --regid=$(id -g $user) --clear-groups"
            fi
            # Foundation takes a process for running as long as a child has its descriptors.
            bash -c 'for file in /proc/self/fd/*; do fd=${file##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done; exec "$@"' bash \
                $as '\(program)' -q -d '\(directory)/ini' </dev/null >/dev/null 2>&1
            # It listens some time after it has detached itself.
            for attempt in $(seq 1000); do [ ! -S '\(directory)/.s.PGSQL.6432' ] || exit 0; sleep 0.02; done
            exit 1
            """)
        try #require(isStarted)
        url = "postgresql:///postgres?host=\(directory)&port=6432&user=strata"
    }
}

@Suite(
    "A store behind PgBouncer", .server, .enabled(if: PgBouncer.program != nil, "install pgbouncer (make prepare does)"),
    .timeLimit(.minutes(60)))
struct PgBouncerTests {
    private let scratch: Scratch
    private let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
    }

    private func container(_ bouncer: PgBouncer, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> PersistentContainer {
        var store = StoreDescription.postgreSQL(bouncer.url, schema: scratch.schema)
        change(&store.options)
        return try PersistentContainer(model: model, stores: [store])
    }

    private static let people = ObjectFetchRequest<ManagedObject>(entityName: "Person")

    private static func add(_ name: String, to context: ManagedObjectContext) throws {
        try context.insert("Person").setValue(name, forKey: "name")
    }

    @Test("With pool_mode=session tasks read and write at once, with prepared statements, locks and histories")
    func session() async throws {
        let bouncer = try PgBouncer("session")
        let container = try container(bouncer) { $0.history = HistoryPolicy() }
        let token = try container.history.currentToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask { try await container.write { try Self.add("\(number)", to: $0) } }
                group.addTask { _ = try await container.read { try $0.fetch(Self.people).count } }
            }
            try await group.waitForAll()
        }
        #expect(try await container.read { try $0.count(for: Self.people) } == 60)
        #expect(try container.history.transactions(after: token, limit: 1000).count == 60)
        // A stale save is a conflict, as without a pooler.
        let stale = container.newContext(isolation: nil)
        let person = try #require(try stale.fetch(Self.people).first)
        try await container.write { context in
            for person in try context.fetch(Self.people) { try person.setValue("changed", forKey: "name") }
        }
        try person.setValue("stale", forKey: "name")
        #expect(throws: SaveConflictError.self) { try stale.save() }
        try container.close()
    }

    @Test("With pool_mode=session the saves of another process's connections are events")
    func events() async throws {
        let bouncer = try PgBouncer("session")
        let first = try container(bouncer) { $0.postsRemoteChanges = true }
        let second = try container(bouncer)
        let inserted = Mutex(0)
        let subscription = first.coordinator.observeSaves { event in
            if event.isRemote { inserted.withLock { $0 += event.stores.reduce(0) { $0 + $1.inserted.count } } }
        }
        try await second.write { try Self.add("remote", to: $0) }
        while inserted.withLock({ $0 }) == 0 { usleep(1000) }
        subscription.cancel()
        #expect(inserted.withLock { $0 } == 1)
        try second.close()
        try first.close()
    }

    @Test("With pool_mode=transaction a store is refused when it is opened, by an error that names the mode")
    func transaction() throws {
        for connections in [1, 3, 20] {
            let bouncer = try PgBouncer("transaction", connections: connections)
            for _ in 0..<3 {
                let error = #expect(throws: StoreError.self) { try container(bouncer) }
                #expect(error?.code == .unsupported)
                #expect(
                    error?.message == "a pooler shares the server's sessions between connections: PgBouncer needs pool_mode = session")
            }
        }
    }

    @Test("With pool_mode=statement a store is refused when it is opened")
    func statement() throws {
        let bouncer = try PgBouncer("statement", connections: 3)
        #expect(throws: StoreError.self) { try container(bouncer) }
    }

    @Test("A statement of another connection's session is an error that names the mode")
    func otherSession() throws {
        for state in ["42P05", "26000"] {
            let error = StoreError(PostgreSQLFailure(state: state, message: "prepared statement \"s0\""), .fetch)
            #expect(error.code == .unsupported)
            #expect(error.message.hasSuffix("PgBouncer needs pool_mode = session: prepared statement \"s0\""))
        }
    }
}
