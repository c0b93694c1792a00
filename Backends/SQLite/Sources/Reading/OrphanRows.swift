import StrataSQL
import Synchronization

/// The tables with orphan rows: rows of entities that are not of the table's hierarchy.
///
/// Stores of Core Data's sometimes have such rows. Fetches and counts leave them out once the table is known to have
/// some, and reading one by its reference throws.
final class OrphanRows: Sendable {
    /// Whether another program created the store: Strata writes no such rows.
    private let isLikely: Bool
    /// By the root of the table's hierarchy; nil for a table that was not searched.
    private let known = Mutex<[EntityIndex: Bool]>([:])

    init(isLikely: Bool) { self.isLikely = isLikely }

    /// A statement has reached an orphan row: it has to be replaced by one that leaves them out.
    struct Found: Error {}

    /// The roots of the tables with orphan rows.
    var roots: Set<EntityIndex> { known.withLock { known in Set(known.filter(\.value).keys) } }

    func areIn(_ table: EntityTable) -> Bool { known.withLock { $0[table.root] == true } }

    func note(_ table: EntityTable) { known.withLock { $0[table.root] = true } }

    /// Searches a table for orphan rows unless it was searched: for results in which they would not be noticed.
    func look(in table: EntityTable, _ connection: Connection) throws {
        if !isLikely || known.withLock({ $0[table.root] != nil }) { return }
        let areThere = try connection.integer(OrphanRows.search(table), .fetch) ?? 0 != 0
        known.withLock { $0[table.root] = areThere }
    }

    /// Returns the references and entity numbers of a table's orphan rows: `SELECT Z_PK, Z_ENT FROM ZPET WHERE Z_ENT IS NULL OR Z_ENT NOT
    /// IN (2)`.
    static func list(_ table: EntityTable, limit: Int) -> SQLText {
        let condition: SQLText = "Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers: table.numbers))"
        return "SELECT Z_PK, Z_ENT FROM \(table: table.name) WHERE \(condition) LIMIT \(number: limit)"
    }

    /// Whether a table has orphan rows.
    ///
    /// With an index on entity numbers, three lookups in it find numbers below and above the table's, and nulls:
    /// `SELECT EXISTS (SELECT 1 FROM ZPET WHERE Z_ENT < 2) OR EXISTS (… Z_ENT > 4) OR EXISTS (… Z_ENT IS NULL)`.
    private static func search(_ table: EntityTable) -> SQLText {
        let isWithoutGap = zip(table.numbers, table.numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
        guard table.numbers.count > 1, isWithoutGap, let first = table.numbers.first, let last = table.numbers.last else {
            return "SELECT EXISTS (\(list(table, limit: 1)))"
        }
        let conditions: [SQLText] = ["< \(number: first)", "> \(number: last)", "IS NULL"]
        let searches = conditions.map { SQLText("EXISTS (SELECT 1 FROM \(table: table.name) WHERE Z_ENT \($0))") }
        return "SELECT \(searches, separator: " OR ")"
    }
}

extension EntityTable {
    /// Returns the error for a row of an entity of another table.
    func orphanError(_ number: Int64, path: String?, entity: String? = nil) -> StoreError {
        StoreError(.corrupt, .fetch, "a row of the table \(name) is of an entity numbered \(number)", path: path, entity: entity)
    }
}
