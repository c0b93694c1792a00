import StrataEngine
import StrataSQL

/// Assigns references: `Z_MAX` of the root entity's row in `Z_PRIMARYKEY` is the last one assigned or reserved.
struct ReferenceCounter {
    private let connection: Connection
    private let schema: StoreSchema
    private(set) var reserve: ReferenceReserve
    private var last: [EntityIndex: Int64] = [:]

    init(_ connection: Connection, _ schema: StoreSchema, _ reserve: ReferenceReserve = ReferenceReserve()) {
        self.connection = connection
        self.schema = schema
        self.reserve = reserve
    }

    /// Reserves references, and returns the first.
    mutating func reserve(_ count: Int, root: EntityIndex) throws -> Int64 {
        // A root with reserved references has a table.
        if let first = reserve.take(count, root: root) { return first }
        guard let table = schema.tables[root] else {
            throw StoreError(.unknownEntity, .save, "the store's configuration has no such entity", path: connection.path)
        }
        guard let references = reserve.refill(count, root: root, after: try lastReference(table)) else {
            throw StoreError(.tooLarge, .save, "the store has no references left", path: connection.path)
        }
        try set(references.last, table)
        return references.first
    }

    /// Records a reference in use, so that it is not assigned again after its row is deleted.
    mutating func note(_ reference: Int64, root: EntityIndex) throws {
        guard !reserve.note(reference, root: root), reference > last[root] ?? 0, let table = schema.tables[root] else { return }
        let condition: SQLText = "Z_ENT = \(number: table.numbers[0]) AND IFNULL(Z_MAX, 0) < ?1"
        let statement = try connection.statement(SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE \(condition)").text)
        statement.bind(reference, at: 1)
        try statement.run(.save)
        last[root] = nil
    }

    /// Returns the greatest reference assigned.
    ///
    /// Some stores contain rows beyond the recorded number.
    ///
    /// ```sql
    /// SELECT max(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), IFNULL((SELECT max(Z_PK) FROM ZPERSON), 0), 0)
    /// ```
    private mutating func lastReference(_ table: EntityTable) throws -> Int64 {
        if let known = last[table.root] { return known }
        let noted: SQLText = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(bind: .integer(Int64(table.numbers[0]))))"
        let greatest: SQLText = "(SELECT max(Z_PK) FROM \(table: table.name))"
        let found = try connection.integer("SELECT max(IFNULL(\(noted), 0), IFNULL(\(greatest), 0), 0)", .save) ?? 0
        last[table.root] = found
        return found
    }

    /// `UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?`.
    private mutating func set(_ reference: Int64, _ table: EntityTable) throws {
        let number: SQLText = "\(bind: .integer(Int64(table.numbers[0])))"
        try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = \(bind: .integer(reference)) WHERE Z_ENT = \(number)" as SQLText)
            .run(.save)
        guard connection.changes == 1 else {
            throw StoreError(.corrupt, .save, "the table of the entities' numbers lacks \(table.numbers[0])", path: connection.path)
        }
        last[table.root] = reference
    }
}
