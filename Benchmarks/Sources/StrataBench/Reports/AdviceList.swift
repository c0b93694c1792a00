import BenchPeers
import BenchReports
import StrataWorkload

extension Advice {
    /// The list of the guide *Choosing a store* in its order, each with the steps that show it; what applies first is to be taken.
    static let list: [Recommendation] = [
        (InMemoryChoice.name, "nothing needs to outlive the process, as in tests, previews and caches", [.update, .byID]),
        (ServerParticipant.strata, "more than one machine writes, or more writers at once than one file takes", [.singles, .byID]),
        (XMLChoice.name, "people or other programs edit the file as text, up to some 10,000 objects", [.open, .update]),
        (BinaryChoice.name, "all of the data fits in memory, and is read as a whole while it is open", [.open, .readAll, .update]),
        (
            LMDBChoice.name, "there are many more reads than writes, many reading threads, or several processes on one machine",
            [.open, .byID, .readAll]
        ),
        (StrataFederation.name, "parts of one model differ so much that each needs another store", [.importing, .closure]),
        (ArchivePeers.grdb.name, "records without an object graph are enough", [.importing, .byID, .singles]),
        (ArchivePeers.rawSQLite.name, "time and memory come before the code to write", [.importing, .byID, .singles]),
        (SQLiteChoice.name, "none of these applies, or if Core Data or SQLite's tools read the file", [.importing, .byID, .singles]),
    ]
}
