import StrataModel
import StrataSQL
import StrataStore

/// The statements that insert rows of one entity, one or many at a time.
///
/// `OR FAIL` keeps the rows of a statement that went in before one was refused, so that SQLite need not keep a journal for the statement
/// besides that of the transaction; the transaction is rolled back then in any case. What the statement says of conflicts holds for the
/// triggers that it calls too, though, and those of Core Data's replace what is there: with triggers, each row is inserted by a
/// statement that says nothing of conflicts.
final class InsertStatements {
    private static let batchSize = 32
    private static let parameterLimit = 16_000

    let binder: RowBinder
    /// The number of a row's parameters.
    let width: Int
    /// The number of rows that ``many(_:)`` inserts.
    let size: Int
    private let table: EntityTable
    private let number: Int
    private let keywords: StaticString
    private var single: Statement?
    private var many: Statement?

    init(_ index: EntityIndex, _ table: EntityTable, _ store: SQLiteStore, _ triggers: TriggerGuard?) throws {
        let entity = store.model.entities[index]
        binder = try RowBinder(entity.layout.slots.typedIndices(Slot.self), of: entity, table, store)
        width = binder.columns.count + 2
        let hasTriggers = triggers?.tables.contains(table.name.uppercased()) == true
        size = hasTriggers ? 1 : max(1, min(InsertStatements.batchSize, InsertStatements.parameterLimit / width))
        keywords = hasTriggers ? "INSERT INTO " : "INSERT OR FAIL INTO "
        number = table.number(of: index)
        self.table = table
    }

    /// The statement that inserts one row.
    func single(_ connection: Connection) throws -> Statement {
        if let single { return single }
        let statement = try connection.prepare(text(1), persistent: true)
        single = statement
        return statement
    }

    /// The statement that inserts ``size`` rows.
    func many(_ connection: Connection) throws -> Statement {
        if size == 1 { return try single(connection) }
        if let many { return many }
        let statement = try connection.prepare(text(size), persistent: true)
        many = statement
        return statement
    }

    /// Lets go of the values of the parameters.
    func clear() {
        single?.clear()
        many?.clear()
    }

    /// `INSERT OR FAIL INTO ZDEPT (Z_PK, Z_OPT, ZTITLE, Z_ENT) VALUES (?, ?, ?, 3), (?, ?, ?, 3) …`.
    private func text(_ count: Int) -> String {
        let row: SQLText = "(\(["?", "?"] + binder.columns.map { _ in "?" } + ["\(number: number)"]))"
        let columns = ["Z_PK", "Z_OPT"] + binder.columns + ["Z_ENT"]
        let sql: SQLText = "\(keywords)\(table: table.name) (\(identifiers: columns)) VALUES \(Array(repeating: row, count: count))"
        return sql.text
    }
}
