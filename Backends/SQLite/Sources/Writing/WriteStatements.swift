import StrataSQL

/// The statements that write rows of a store through one connection, with the binders of rows, kept between saves.
struct WriteStatements {
    private var inserts: [EntityIndex: InsertStatements] = [:]
    private var updates: [UpdateStatement.Shape: UpdateStatement] = [:]
    private var deletes: [EntityIndex: DeleteStatements] = [:]

    /// The application determines how many shapes of updates there are.
    private static let mostUpdates = 256

    mutating func insert(_ entity: EntityIndex, _ make: () throws -> InsertStatements) rethrows -> InsertStatements {
        try WriteStatements.kept(entity, in: &inserts, make)
    }

    mutating func update(_ shape: UpdateStatement.Shape, _ make: () throws -> UpdateStatement) rethrows -> UpdateStatement {
        if updates.count >= WriteStatements.mostUpdates && updates[shape] == nil { updates = [:] }
        return try WriteStatements.kept(shape, in: &updates, make)
    }

    mutating func delete(_ entity: EntityIndex, _ make: () throws -> DeleteStatements) rethrows -> DeleteStatements {
        try WriteStatements.kept(entity, in: &deletes, make)
    }

    private static func kept<Key, Statements>(
        _ key: Key, in statements: inout [Key: Statements], _ make: () throws -> Statements
    ) rethrows -> Statements {
        if let known = statements[key] { return known }
        let made = try make()
        statements[key] = made
        return made
    }
}

/// The statements that insert rows of one entity, one or many at a time.
///
/// With `OR FAIL`, the rows that a statement inserted before one was refused stay, so that SQLite needs no statement
/// journal beside that of the transaction, which is rolled back in any case. But the conflict clause also applies to
/// the statements of triggers, and those of Core Data's replace rows: with triggers, each row is inserted by a
/// statement without a conflict clause.
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
    @safe @exclusivity(unchecked) private var single: Statement?
    @safe @exclusivity(unchecked) private var many: Statement?

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

    /// Returns the statement that inserts one row.
    func single(_ connection: Connection) throws -> Statement { try prepared(&single, 1, connection) }

    /// Returns the statement that inserts ``size`` rows.
    func many(_ connection: Connection) throws -> Statement {
        try size == 1 ? single(connection) : prepared(&many, size, connection)
    }

    private func prepared(_ kept: inout Statement?, _ count: Int, _ connection: Connection) throws -> Statement {
        if let kept { return kept }
        let statement = try connection.prepare(text(count), persistent: true)
        kept = statement
        return statement
    }

    /// Releases the values of the parameters.
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

/// The statement that updates the same slots of rows of one entity with the versions expected, and its binder.
struct UpdateStatement {
    struct Shape: Hashable {
        let entity: EntityIndex
        let slots: [Slot]
    }

    let statement: Statement
    let binder: RowBinder
    /// Records the external files that are overwritten.
    let droppers: [ExternalDropper]

    /// `UPDATE ZPERSON SET ZAGE = ?, Z_OPT = ? WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) & 4294967295 = ?`: the condition is the optimistic lock.
    init(_ shape: Shape, _ table: EntityTable, _ store: SQLiteStore, _ connection: Connection) throws {
        binder = try RowBinder(shape.slots, of: store.model.entities[shape.entity], table, store)
        let columns = binder.columns.map { SQLText("\(identifier: $0) = ?") } + ["Z_OPT = ?"]
        let sql: SQLText = "UPDATE \(table: table.name) SET \(columns) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) & 4294967295 = ?"
        statement = try connection.prepare(sql.text, persistent: true)
        droppers = shape.slots.map { table.column($0, of: shape.entity) }.filter(\.isExternal).map { ExternalDropper(table, $0) }
    }

    func bind(_ update: RowUpdate, _ transaction: SQLiteTransaction) throws {
        let row = update.row
        try binder.bind(row, to: statement, from: 1, transaction)
        let count = binder.columns.count
        statement.bind(Int64(row.version), at: count + 1)
        statement.bind(row.reference, at: count + 2)
        statement.bind(Int64(update.expectedVersion), at: count + 3)
    }
}

/// The statements that delete rows of one entity, and their links.
struct DeleteStatements {
    let row: Statement
    let links: [Statement]
    /// Records the external files that are deleted.
    let droppers: [ExternalDropper]

    init(_ entity: EntityDescription, _ table: EntityTable, _ store: SQLiteStore, _ connection: Connection) throws {
        // The condition is the optimistic lock.
        let sql: SQLText = "DELETE FROM \(identifier: table.name) WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) & 4294967295 = ?2"
        row = try connection.prepare(sql.text, persistent: true)
        // DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1
        links = try store.schema.links(of: entity, in: store.model).map { join, side in
            let sql = SQLText("DELETE FROM \(table: join.name) WHERE \(identifier: join.column(side)) = ?1")
            return try connection.prepare(sql.text, persistent: true)
        }
        let columns = Set(table.columns(of: entity.index)).map { table.columns[$0] }.filter { $0.isExternal && $0.isPresent }
        droppers = columns.map { ExternalDropper(table, $0) }
    }
}
