import ArgumentParser
import BenchPQ
import StrataWorkload

// What the jobs and participants of this folder add, where the manifest builds all; `DefaultJobs` stands for it otherwise.

extension StrataBench {
    static let others: [any ParsableCommand.Type] = [CoreDataCommand.self]
}

extension Registry {
    static var archiveOnServer: [any Participant.Type] { [RawPostgreSQL.self, StrataArchive<PostgreSQLChoice>.self] }

    static var eventsOnServer: [EventTable] {
        [
            EventTable(
                title: "PostgreSQL",
                participants: [EventsRawPostgreSQL.self, EventsSerializable.self, EventsPGBench.self, EventsStrata<PostgreSQLChoice>.self])
        ]
    }
}

extension Versions {
    static let libpq = ["libpq \(PQlibVersion() / 10_000).\(PQlibVersion() % 10_000)"]
}
