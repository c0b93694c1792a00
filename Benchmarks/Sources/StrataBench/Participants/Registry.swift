import StrataWorkload

/// The participants, in the order of the tables.
///
/// A new participant is one file and one line here.
enum Registry {
    /// The participants in the archive, each engine's beside each other.
    static var archive: [any Participant.Type] {
        [
            RawSQLite.self, StrataArchive<SQLiteChoice>.self, GRDBArchive.self, RawLMDB.self, StrataArchive<LMDBChoice>.self,
            StrataFederation.self, StrataArchive<BinaryChoice>.self, StrataArchive<XMLChoice>.self, StrataArchive<InMemoryChoice>.self,
        ] + archiveOnServer
    }

    /// What most readers compare, measured before all others of the archive, a step of each at a time.
    static let first = [RawSQLite.name, SQLiteChoice.name, GRDBArchive.name]

    /// The participants in the events, grouped by what they are compared with: each table's first is its denominator.
    static var events: [EventTable] {
        [
            EventTable(title: "SQLite", participants: [EventsRawSQLite.self, EventsGRDB.self, EventsStrata<SQLiteChoice>.self]),
            EventTable(title: "LMDB", participants: [EventsRawLMDB.self, EventsStrata<LMDBChoice>.self]),
        ] + eventsOnServer + [
            EventTable(title: "in-memory", participants: [EventsDictionary.self, EventsStrata<InMemoryChoice>.self]),
            EventTable(title: "binary", participants: [EventsPropertyList.self, EventsStrata<BinaryChoice>.self]),
            EventTable(title: "XML", participants: [EventsRawXML.self, EventsStrata<XMLChoice>.self]),
        ]
    }
}
