import BenchPQ
package import StrataWorkload

extension ArchivePeers {
    package static var libpq: any Participant.Type { RawPostgreSQL.self }
}

extension EventPeers {
    package static var libpq: any EventParticipant.Type { EventsRawPostgreSQL.self }
    package static var serializable: any EventParticipant.Type { EventsSerializable.self }
}

extension Versions {
    static let libpq = ["libpq \(PQlibVersion() / 10_000).\(PQlibVersion() % 10_000)"]
}
