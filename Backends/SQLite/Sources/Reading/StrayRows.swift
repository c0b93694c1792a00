import StrataSQL
import Synchronization

/// Which tables hold stray rows: of entities that are not of the table's hierarchy.
///
/// Stores of Core Data's have such rows now and then. They cost themselves and not their table: fetches and counts leave them out as soon as
/// the table is known to have some, and whoever asks for one gets an error.
final class StrayRows: Sendable {
    /// Whether another program made the store: Strata makes no such rows.
    private let isLikely: Bool
    /// By the root of the table's hierarchy; none for a table of which nothing is known.
    private let known = Mutex<[EntityIndex: Bool]>([:])

    init(isLikely: Bool) { self.isLikely = isLikely }

    /// A statement has come to a stray row: another one is needed, that leaves it out.
    struct Found: Error {}

    /// The roots of the tables that have stray rows.
    var roots: Set<EntityIndex> { known.withLock { known in Set(known.filter(\.value).keys) } }

    func areIn(_ table: EntityTable) -> Bool { known.withLock { $0[table.root] == true } }

    func note(_ table: EntityTable) { known.withLock { $0[table.root] = true } }

    /// Looks for stray rows in a table that was not looked through yet: for results in which they would not show.
    func look(in table: EntityTable, _ connection: Connection) throws {
        if !isLikely || known.withLock({ $0[table.root] != nil }) { return }
        let areThere = try connection.integer(StrayRows.search(table), .fetch) ?? 0 != 0
        known.withLock { $0[table.root] = areThere }
    }

    /// The references and entities' numbers of a table's stray rows: `SELECT Z_PK, Z_ENT FROM ZPET WHERE Z_ENT IS NULL OR Z_ENT NOT IN (2)`.
    static func list(_ table: EntityTable, limit: Int) -> SQLText {
        let condition: SQLText = "Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers: table.numbers))"
        return "SELECT Z_PK, Z_ENT FROM \(table: table.name) WHERE \(condition) LIMIT \(number: limit)"
    }

    /// Whether a table has stray rows.
    ///
    /// Where entities are indexed, the index is asked for what is below, above and without a number:
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
    /// The error of whoever asks for a row of an entity that the table is not of.
    func stray(_ number: Int64, path: String?, entity: String? = nil) -> StoreError {
        StoreError(.corrupt, .fetch, "a row of the table \(name) is of an entity numbered \(number)", path: path, entity: entity)
    }
}
