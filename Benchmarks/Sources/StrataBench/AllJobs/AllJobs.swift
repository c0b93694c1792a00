import ArgumentParser
import BenchPeers
import StrataWorkload

// What the jobs and participants of this folder add, where the manifest builds all; `DefaultJobs` stands for it otherwise.

extension StrataBench {
    static let others: [any ParsableCommand.Type] = [CoreDataCommand.self]
}

extension Registry {
    static var archiveOnServer: [any Participant.Type] { [ArchivePeers.libpq, StrataArchive<PostgreSQLChoice>.self] }

    static var eventsOnServer: [EventTable] {
        [
            EventTable(
                title: "PostgreSQL",
                participants: [EventPeers.libpq, EventPeers.serializable, EventsPGBench.self, EventsStrata<PostgreSQLChoice>.self])
        ]
    }
}
