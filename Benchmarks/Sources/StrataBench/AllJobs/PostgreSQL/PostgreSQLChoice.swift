import BenchPeers
import Strata
import StrataPostgreSQL
import StrataWorkload

enum PostgreSQLChoice: StoreChoice {
    static let name = ServerParticipant.strata
    static let grouping = ProcessGrouping.perStep
    static let reference = ArchivePeers.libpq.name
    static let notes = ["Strata PostgreSQL: a schema of a database, row versions checked in SQL, each save logged for other processes"]
    static func store(_ directory: String) throws -> StoreDescription {
        .postgreSQL(try BenchServer.url(), schema: try BenchSchema.prepared("strata", directory))
    }
}
