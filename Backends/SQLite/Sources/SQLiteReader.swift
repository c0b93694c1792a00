import CStrataSQLite
import StrataFiles
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// One snapshot of a SQLite store.
final class SQLiteReader: StoreReader {
    let store: SQLiteStore
    let connection: Connection
    private var isReading: Bool
    /// Rows found one by one; small at first, as a single row keeps the whole piece of memory alive.
    private lazy var pointWriter = RowWriter(forOneRowOf: 512)
    private var pointCount = 0

    /// A reader over a connection; `isReading` where a transaction is open on it, or one statement does without.
    init(_ store: SQLiteStore, _ connection: Connection, isReading: Bool = false) {
        self.store = store
        self.connection = connection
        self.isReading = isReading
    }

    var storeID: StoreID? { store.id }

    private func start() throws {
        if isReading { return }
        try connection.beginReading()
        isReading = true
    }

    /// A transaction has no snapshot before its first statement that reads.
    func takeSnapshot() throws {
        try start()
        try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run(.fetch)
    }

    // MARK: - Rows

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        try start()
        guard let lookup = try lookup(root) else { return nil }
        let statement = lookup.statement
        statement.bind(reference, at: 1)
        defer { statement.reset() }
        guard try statement.step(.fetch) else { return nil }
        pointCount += 1
        if pointCount == 4 { pointWriter = RowWriter(chunkSize: 16 * 1024) }
        do { return try lookup.decoder.row(at: statement, &pointWriter) } catch is StrayRows.Found {
            guard let table = store.schema.tables[root] else { return nil }
            throw store.stray(table, statement.integer(1))
        }
    }

    /// `SELECT t0.Z_PK, … FROM ZPERSON t0 WHERE t0.Z_PK = ?1`, kept prepared.
    private func lookup(_ root: EntityIndex) throws -> Connection.Lookup? {
        connection.keepStatements(of: store)
        if connection.lookups.typedIndices().contains(root), let known = connection.lookups[root] { return known }
        guard let table = store.schema.tables[root] else { return nil }
        let decoder = store.decoder(table, table.tree)
        var sql = select(decoder)
        sql.add(" WHERE t0.Z_PK = ?1")
        let lookup = Connection.Lookup(statement: try connection.prepare(sql.text, persistent: true), decoder: decoder)
        while !connection.lookups.typedIndices().contains(root) { connection.lookups.append(nil) }
        connection.lookups[root] = lookup
        return lookup
    }

    func existing(root: EntityIndex, references wanted: [Int64]) throws -> [ObjectReference] {
        guard let table = store.schema.tables[root], !wanted.isEmpty else { return [] }
        try start()
        var found: [ObjectReference] = []
        for start in stride(from: 0, to: wanted.count, by: 1024) {
            var sql = SQLText("SELECT Z_PK, Z_ENT FROM \(identifier: table.name) WHERE Z_PK IN (")
            ParameterList.add(wanted[start..<min(wanted.count, start + 1024)].map { .integer($0) }, to: &sql)
            sql.add(")")
            found += try references(sql, table)
        }
        return found
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        guard let table = store.schema.tables[root.index] else { return [] }
        try start()
        let statement = try connection.statement(SQLText("SELECT Z_PK, Z_ENT, Z_OPT FROM \(identifier: table.name)"))
        defer { statement.clear() }
        var versions: [RowVersion] = []
        while try statement.step(.fetch) {
            guard let entity = table.entity(ofNumber: statement.integer(1)) else {
                store.strays.note(table)
                continue
            }
            versions.append(
                RowVersion(
                    entity: entity, reference: statement.integer(0), version: UInt32(truncatingIfNeeded: statement.integer(2))))
        }
        return versions
    }

    /// So many rows are looked up one by one with a statement that is there, before one for all of them would be told.
    private static let fewReferences = 8

    private func select(_ decoder: RowDecoder) -> SQLText {
        var sql = SQLText("SELECT ")
        decoder.addColumns(to: &sql)
        sql.add(" FROM \(identifier: decoder.tableName) t0")
        return sql
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let table = store.schema.tables[root], !references.isEmpty else { return [] }
        if references.count == 1, !store.strays.areIn(table) { return try row(root: root, reference: references[0]).map { [$0] } ?? [] }
        let unique = Set(references).sorted()
        if unique.count <= SQLiteReader.fewReferences, !store.strays.areIn(table) {
            do { return try unique.compactMap { try row(root: root, reference: $0) } } catch {
                // One that is found among others costs these nothing.
                if !store.strays.areIn(table) { throw error }
            }
        }
        try start()
        let decoder = store.decoder(table, table.tree)
        var rows: [Row] = []
        rows.reserveCapacity(references.count)
        var writer = GrowingWriter()
        for start in stride(from: 0, to: unique.count, by: 1024) {
            let part = unique[start..<min(unique.count, start + 1024)]
            var sql = select(decoder)
            sql.add(" WHERE t0.Z_PK IN (")
            ParameterList.add(part.map { .integer($0) }, to: &sql)
            sql.add(")")
            let statement = try connection.statement(sql)
            defer { statement.clear() }
            while try statement.step(.fetch) {
                do { rows.append(try writer.row(decoder, statement)) } catch is StrayRows.Found { store.strays.note(table) }
            }
        }
        return rows
    }

    // MARK: - Plans

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        try start()
        return try StatementRunner(store: store, connection: connection).answer(plan)
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        let table = try store.table(of: plan)
        try start()
        return try PlanExplainer.explain(plan, table, self)
    }

    // MARK: - Relationships

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        try start()
        let destination = store.model.entities[relationship.destination]
        switch relationship.storage {
        case .inverse(let property):
            guard case .relationship(let inverse) = destination.properties[property],
                case .toOne(let slot, _, let order) = inverse.storage, let table = store.schema.table(of: destination)
            else { return [] }
            return try related(table, destination.index, slot, relationship.isOrdered ? order : nil, owner)
        case .links(let index, let side):
            guard let join = store.schema.joins[index], let table = store.schema.table(of: destination) else { return [] }
            return try linked(join, side, table, relationship.isOrdered, owner)
        case .toOne, .none: return []
        }
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row]) {
        try start()
        guard let members = try memberLookup(relationship) else {
            let destinations = try destinations(of: relationship, owners: owners)
            return (destinations, try rows(root: root, references: Array(Set(destinations.joined().map(\.reference)))))
        }
        let (statement, decoder) = (members.lookup.statement, members.lookup.decoder)
        var rows: [Row] = []
        var writer = GrowingWriter()
        let destinations = try owners.map { owner in
            statement.bind(owner, at: 1)
            defer { statement.reset() }
            let first = rows.count
            while try statement.step(.fetch) {
                do { rows.append(try writer.row(decoder, statement)) } catch is StrayRows.Found { store.strays.note(members.table) }
            }
            return rows[first...].map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
        }
        return (destinations, rows)
    }

    /// `SELECT t0.Z_PK, … FROM ZSTEP t0 WHERE t0.ZPROJECT = ?1 ORDER BY t0.Z_FOK_PROJECT, t0.Z_PK`, kept prepared; `nil` where another table
    /// has the members.
    private func memberLookup(_ relationship: RelationshipDescription) throws -> Connection.MemberLookup? {
        connection.keepStatements(of: store)
        if let known = connection.members[ObjectIdentifier(relationship)] { return known }
        let destination = store.model.entities[relationship.destination]
        guard case .inverse(let property) = relationship.storage, case .relationship(let inverse) = destination.properties[property],
            case .toOne(let slot, _, let order) = inverse.storage, let table = store.schema.table(of: destination),
            case let column = table.column(slot, of: destination.index), column.isPresent
        else { return nil }
        let decoder = store.decoder(table, table.tree)
        var sql = select(decoder)
        sql.add(" WHERE \(column: column.name, of: 0) = ?1 ORDER BY ")
        if relationship.isOrdered, let order, table.column(order, of: destination.index).isPresent {
            sql.add("\(column: table.column(order, of: destination.index).name, of: 0), ")
        }
        sql.add("t0.Z_PK")
        let lookup = Connection.Lookup(statement: try connection.prepare(sql.text, persistent: true), decoder: decoder)
        let members = Connection.MemberLookup(relationship: relationship, table: table, lookup: lookup)
        connection.members[ObjectIdentifier(relationship)] = members
        return members
    }

    /// `SELECT Z_PK, Z_ENT FROM ZSTEP WHERE ZPROJECT = ? ORDER BY Z_FOK_PROJECT, Z_PK`.
    private func related(_ table: EntityTable, _ entity: EntityIndex, _ slot: Slot, _ order: Slot?, _ owner: Int64) throws
        -> [ObjectReference]
    {
        let column = table.column(slot, of: entity)
        guard column.isPresent else { return [] }
        var sql = SQLText("SELECT Z_PK, Z_ENT FROM \(identifier: table.name) WHERE \(identifier: column.name) = ")
        sql.add("\(bind: .integer(owner)) ORDER BY ")
        if let order, table.column(order, of: entity).isPresent {
            sql.add("\(identifier: table.column(order, of: entity).name), ")
        }
        sql.add("Z_PK")
        return try references(sql, table)
    }

    /// `SELECT t0.Z_3PROJECTS, t1.Z_ENT FROM Z_1PROJECTS t0 JOIN ZPROJECT t1 ON t1.Z_PK = t0.Z_3PROJECTS WHERE t0.Z_1MEMBERS = ?
    /// ORDER BY t0.Z_3PROJECTS`: joined with the table of the destinations, as some links of Core Data's lead to rows that are gone.
    private func linked(
        _ join: JoinTable, _ side: LinkSide, _ table: EntityTable, _ isOrdered: Bool, _ owner: Int64
    ) throws -> [ObjectReference] {
        let far = join.column(side.opposite)
        var sql = SQLText("SELECT t0.\(identifier: far), t1.Z_ENT FROM \(identifier: join.name) t0 JOIN ")
        sql.add("\(identifier: table.name) t1 ON t1.Z_PK = \(column: far, of: 0) WHERE ")
        sql.add("\(column: join.column(side), of: 0) = \(bind: .integer(owner)) ORDER BY ")
        if isOrdered, let order = join.order(side) { sql.add("\(column: order, of: 0), ") }
        sql.add(column: far, of: 0)
        return try references(sql, table)
    }

    private func references(_ sql: SQLText, _ table: EntityTable) throws -> [ObjectReference] {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        return try table.references(statement) { store.strays.note(table) }
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let join = store.schema.joins[table.index] else { return [] }
        try start()
        var sql = SQLText("SELECT ")
        sql.add("\(identifiers: [join.first, join.second, join.orderInFirst ?? join.first, join.orderInSecond ?? join.first])")
        sql.add(" FROM \(identifier: join.name)")
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        var links: [Link] = []
        func order(_ column: String?, _ index: Int32) -> OrderKey? {
            column == nil || statement.isNull(index) ? nil : OrderKey(rawValue: statement.integer(index))
        }
        while try statement.step(.fetch) {
            links.append(
                Link(
                    first: statement.integer(0), second: statement.integer(1), orderInFirst: order(join.orderInFirst, 2),
                    orderInSecond: order(join.orderInSecond, 3)))
        }
        return links
    }
}
