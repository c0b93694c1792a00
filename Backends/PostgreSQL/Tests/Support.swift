import Dispatch
import Foundation
import Strata
import StrataInMemory
import StrataModel
import StrataSQL
import StrataStore
import StrataTestModels
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

/// A schema of its own on the server of the tests, removed with the test.
final class Scratch: Sendable {
    let url: String
    let schema: String

    init(_ schema: String = "scratch_\(UInt64.random(in: 0...UInt64.max))", on server: PostgreSQLServer? = nil) throws {
        url = try server?.url ?? PostgreSQLServer.shared.get().url
        self.schema = schema
    }

    deinit { _ = try? run("DROP SCHEMA IF EXISTS \"\(schema.replacing("\"", with: "\"\""))\" CASCADE") }

    var location: StoreLocation { .server(ServerAddress(url, name: schema)) }
    var description: StoreDescription { .postgreSQL(url, schema: schema) }

    func connection() throws -> Connection {
        try Connection(try ServerLocation(location, .open).parameters, SessionSettings(), .open)
    }

    /// Runs a statement as another client would, and answers the texts of its first column.
    @discardableResult
    func run(_ statement: String) throws -> [String] { try run(statement, on: connection()) }

    /// Runs `body` as a new role, which may change the rows of the schema's tables, and makes and alters none.
    func asGuest(_ body: (ServerAddress.Credentials) throws -> Void) throws {
        let role = "role_\(UInt32.random(in: 0...UInt32.max))"
        defer { _ = try? run("DROP OWNED BY \(role); DROP ROLE \(role)") }
        try run(
            """
            CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role); \
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role); \
            GRANT ALL ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role)
            """)
        try body(ServerAddress.Credentials(user: role))
    }

    /// Contexts over a store in memory and over one in the schema, which were filled and saved alike.
    func filledContexts(
        _ model: ManagedObjectModel, _ fill: (ManagedObjectContext) throws -> Void
    ) throws -> [ManagedObjectContext] {
        try [StoreDescription(.inMemory), description].map { description in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.addStore(description)
            let context = ManagedObjectContext(coordinator)
            try fill(context)
            try context.save()
            return context
        }
    }

    @discardableResult
    func run(_ statement: String, on connection: Connection) throws -> [String] {
        let result = try connection.run(SQLText(verbatim: statement), .fetch)
        return (0..<result.count).map { result.text($0, 0) ?? "" }
    }
}

extension PostgreSQLServer {
    /// Starts another server, which follows this one.
    func standby() throws -> PostgreSQLServer {
        let standby = try PostgreSQLServer()
        try standby.crash()
        let (programs, data) = (PostgreSQLServer.programs ?? "", standby.dataDirectory)
        let isCopied = ServerTests.shell(
            """
            mv '\(data)' '\(data).old' && \
            '\(programs)/pg_basebackup' -h '\(directory)' -U strata -D '\(data)' -R -X stream -c fast >/dev/null 2>&1 && \
            sed -i 's|\(directory)|\(standby.directory)|' '\(data)/postgresql.conf' && \
            chown -R --reference='\(data).old' '\(data)'
            """)
        try #require(isCopied)
        try standby.start()
        return standby
    }
}

/// What suites about a server need.
extension Trait where Self == ConditionTrait {
    static var server: Self { .enabled(if: PostgreSQLServer.isAvailable, Comment(rawValue: PostgreSQLServer.reason)) }
}

/// The error with one of some codes that a closure has to throw, and with a message, in which an ellipsis stands for any text.
@discardableResult
func expectError(
    _ codes: StoreError.Code..., message: String? = nil, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> StoreError {
    let error = try #require(throws: StoreError.self, sourceLocation: location) { try body() }
    #expect(codes.contains(error.code), "\(error)", sourceLocation: location)
    if let message { #expect(masked(error.message, message) == message, sourceLocation: location) }
    return error
}

enum Sample {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Attributes([
                    "name": .string, "age": .integer32, "height": .double, "email": .string, "balance": .decimal, "born": .date,
                    "token": .uuid, "photo": .binary, "isMember": .boolean,
                ])
                Relationships(["pets": .ordered("Pet.owner"), "friends": .toMany("Person.friends")])
                Unique("email")
                FetchIndex("byName", on: "name")
            }
            Entity("Student", parent: "Person") { Attribute("school", .string) }
            Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Person.pets")])
        }
    }
    /// A new person's row.
    static func person(_ reference: Int64, _ name: String, _ model: ManagedObjectModel) throws -> Row {
        let entity = try #require(model.entity(named: "Person"))
        var writer = RowWriter()
        writer.begin(entity, reference: reference, version: 1)
        writer.set(.string(name), at: try #require(entity.attribute(named: "name")?.slot), .string)
        return writer.finish()
    }
}

/// Starts something on a thread of its own, as those of tasks are few and may all wait; answers what waits for its result.
func apart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) -> @Sendable () throws -> T {
    let outcome = Outcome<T>()
    Thread.detachNewThread {
        let result = Result { try body() }
        outcome.result.withLock { $0 = result }
        outcome.isOver.signal()
    }
    return {
        outcome.isOver.wait()
        return try #require(outcome.result.withLock { $0 }).get()
    }
}

/// What comes of something that runs on another thread.
private final class Outcome<T: Sendable>: Sendable {
    let result = Mutex<Result<T, any Error>?>(nil)
    let isOver = DispatchSemaphore(value: 0)
}
