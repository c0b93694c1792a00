package import StrataWorkload

/// The participants in the archive that do without Strata.
package enum ArchivePeers {
    package static var rawSQLite: any Participant.Type { RawSQLite<IndexPresent>.self }
    package static var deferredSQLite: any Participant.Type { RawSQLite<IndexDeferred>.self }
    package static var rawLMDB: any Participant.Type { RawLMDB.self }
    package static var grdb: any Participant.Type { GRDBArchive.self }
}

/// The participants in the events that do without Strata.
package enum EventPeers {
    package static var rawSQLite: any EventParticipant.Type { EventsRawSQLite<IndexPresent>.self }
    package static var deferredSQLite: any EventParticipant.Type { EventsRawSQLite<IndexDeferred>.self }
    package static var rawLMDB: any EventParticipant.Type { EventsRawLMDB<IndexPresent>.self }
    package static var deferredLMDB: any EventParticipant.Type { EventsRawLMDB<IndexDeferred>.self }
    package static var rawXML: any EventParticipant.Type { EventsRawXML.self }
    package static var dictionary: any EventParticipant.Type { EventsDictionary.self }
    package static var propertyList: any EventParticipant.Type { EventsPropertyList.self }
    package static var grdb: any EventParticipant.Type { EventsGRDB.self }
}

/// The participants in queries that do without Strata.
package enum QueryPeers {
    package static var rawSQLite: any QueryParticipant.Type { QueriesRawSQLite.self }
}

/// The participants in migrations that do without Strata.
package enum MigrationPeers {
    package static var rawSQLite: any MigrationParticipant.Type { MigrationRawSQLite.self }
}
