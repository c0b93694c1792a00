import Foundation

/// The server of one run, for those who keep their stores on one; a run without a server leaves them out and says why.
struct BenchServer {
    /// Tells the processes of a run where the socket is.
    private static let variable = "STRATA_BENCH_SERVER"

    /// Commits wait for the disk, as everybody's; no checkpoint by time and no cleaning falls into somebody's step.
    private static let settings = [
        "fsync = on", "full_page_writes = on", "shared_buffers = 256MB", "max_wal_size = 4GB", "checkpoint_timeout = 1h",
    ]

    private let server: Result<PostgreSQLServer, any Error>?
    private let participants: [String]

    /// Starts a server where one of these participants needs it.
    init(for participants: [String]) {
        self.participants = participants
        server = ServerParticipant.all.isDisjoint(with: participants) ? nil : Result { try PostgreSQLServer(settings: Self.settings) }
        if case .success(let server) = server { setenv(Self.variable, server.url, 1) }
    }

    /// Whether a participant has what it needs.
    func serves(_ participant: String) -> Bool {
        if participant == EventsPGBench.name, EventsPGBench.program == nil { return false }
        if case .failure = server { return !ServerParticipant.all.contains(participant) }
        return true
    }

    /// What a reader of the tables should know.
    var notes: [String] {
        switch server {
        case nil: []
        case .success:
            [
                "PostgreSQL: a server of the run's own behind a Unix socket, synchronous_commit=on; "
                    + "no autovacuum, but VACUUM (ANALYZE) after the first step"
            ] + BenchServer.explanations.filter { participants.contains($0.participant) }.map { "\($0.participant): \($0.text)" }
        case .failure(let error): ["PostgreSQL was not measured: \(error)"]
        }
    }

    /// What those who are there beside Strata show.
    private static let explanations = [
        (participant: EventsSerializable.name, text: "what statements cost in transactions that are kept apart as those of a save are"),
        (participant: EventsPGBench.name, text: "sends what Strata sends for a save, and shows what the server is able to"),
    ]

    /// Does what a server does by itself, sooner or later, once there are many new rows: without it each table would be read by another plan.
    static func settle() throws { try PostgreSQLDatabase(schema: "public").execute("VACUUM (ANALYZE)") }

    /// The database of the run that this process takes part in.
    static func url() throws -> String {
        guard let url = ProcessInfo.processInfo.environment[variable] else {
            throw LibraryError(library: "PostgreSQL", operation: "find the server", message: "\(variable) is not set")
        }
        return url
    }
}

/// A schema of a participant's own, which its processes take over from each other.
enum BenchSchema {
    /// The schema, empty where the directory of the participant is: there the first of its processes begins.
    static func prepared(_ schema: String, _ directory: String) throws -> String {
        let mark = directory + "/schema"
        if !FileManager.default.fileExists(atPath: mark) {
            try PostgreSQLDatabase(schema: schema).execute("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE; CHECKPOINT")
            // Empty, as the directory's size is the participant's.
            try Data().write(to: URL(fileURLWithPath: mark))
        }
        return schema
    }
}
