import Foundation

/// The server of one run, for those who keep their stores on one; a run without a server leaves them out and says why.
package struct BenchServer {
    /// Tells the processes of a run where the socket is.
    private static let variable = "STRATA_BENCH_SERVER"

    /// Commits wait for the disk, as everybody's; no checkpoint by time and no cleaning falls into somebody's step.
    private static let settings = [
        "fsync = on", "full_page_writes = on", "shared_buffers = 256MB", "max_wal_size = 4GB", "checkpoint_timeout = 1h",
    ]

    private let server: Result<PostgreSQLServer, any Error>?
    private let participants: [String]

    /// The path of `pgbench`; `nil` where it is not installed.
    package static let pgbench = PostgreSQLServer.programs.map { $0 + "/pgbench" }.flatMap {
        FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
    }

    /// Starts a server where one of these participants needs it.
    package init(for participants: [String]) {
        self.participants = participants
        server = ServerParticipant.all.isDisjoint(with: participants) ? nil : Result { try PostgreSQLServer(settings: Self.settings) }
        if case .success(let server) = server { setenv(Self.variable, server.url, 1) }
    }

    /// Whether a participant has what it needs.
    package func serves(_ participant: String) -> Bool {
        if participant == ServerParticipant.pgbench, Self.pgbench == nil { return false }
        if case .failure = server { return !ServerParticipant.all.contains(participant) }
        return true
    }

    /// What a reader of the tables should know.
    package var notes: [String] {
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
        (
            participant: ServerParticipant.serializable,
            text: "what statements cost in transactions that are kept apart as those of a save are"
        ),
        (participant: ServerParticipant.pgbench, text: "sends what Strata sends for a save, and shows what the server is able to"),
    ]

    /// Does what a server does by itself, sooner or later, once there are many new rows: without it each table would be read by another plan.
    package static func settle() throws { try PostgreSQLDatabase(schema: "public").execute("VACUUM (ANALYZE)") }

    /// The database of the run that this process takes part in.
    package static func url() throws -> String {
        guard let url = ProcessInfo.processInfo.environment[variable] else {
            throw error("find the server", "\(variable) is not set")
        }
        return url
    }

    /// Returns an error of the server or its programs.
    package static func error(_ operation: String, _ message: String) -> any Error {
        LibraryError(library: "PostgreSQL", operation: operation, message: message)
    }
}

/// A schema of a participant's own, which its processes take over from each other.
package enum BenchSchema {
    /// The schema, empty where the directory of the participant is: there the first of its processes begins.
    package static func prepared(_ schema: String, _ directory: String) throws -> String {
        let mark = directory + "/schema"
        if !FileManager.default.fileExists(atPath: mark) {
            try PostgreSQLDatabase(schema: schema).execute("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE; CHECKPOINT")
            // Empty, as the directory's size is the participant's.
            try Data().write(to: URL(fileURLWithPath: mark))
        }
        return schema
    }
}
