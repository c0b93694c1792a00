import BenchPeers
import StrataWorkload

/// The participants, in the order of the tables.
///
/// A new participant is one file and one line here.
enum Registry {
    /// The participants in the archive, each engine's beside each other.
    static var archive: [any Participant.Type] {
        [
            ArchivePeers.rawSQLite, StrataArchive<SQLiteChoice>.self, ArchivePeers.grdb, ArchivePeers.deferredSQLite,
            ArchivePeers.rawLMDB, StrataArchive<LMDBChoice>.self, StrataFederation.self, StrataArchive<BinaryChoice>.self,
            StrataArchive<XMLChoice>.self, StrataArchive<InMemoryChoice>.self,
        ] + archiveOnServer
    }

    /// What most readers compare, measured before all others of the archive, a step of each at a time.
    static let first = [ArchivePeers.rawSQLite.name, SQLiteChoice.name, ArchivePeers.grdb.name]

    /// The participants in the events, grouped by what they are compared with: each table's first is its denominator.
    static var events: [EventTable] {
        [
            EventTable(
                title: "SQLite",
                participants: [EventPeers.rawSQLite, EventPeers.deferredSQLite, EventPeers.grdb, EventsStrata<SQLiteChoice>.self]),
            EventTable(title: "LMDB", participants: [EventPeers.rawLMDB, EventPeers.deferredLMDB, EventsStrata<LMDBChoice>.self]),
        ] + eventsOnServer + [
            EventTable(title: "in-memory", participants: [EventPeers.dictionary, EventsStrata<InMemoryChoice>.self]),
            EventTable(title: "binary", participants: [EventPeers.propertyList, EventsStrata<BinaryChoice>.self]),
            EventTable(title: "XML", participants: [EventPeers.rawXML, EventsStrata<XMLChoice>.self]),
        ]
    }
}
