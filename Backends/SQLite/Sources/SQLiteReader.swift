import StrataEngine
import StrataSQL
public import StrataStore

/// One snapshot of a SQLite store.
final class SQLiteReader: StoreReader {
    let store: SQLiteStore
    let connection: Connection
    private var isReading: Bool
    /// Packs rows that are found one by one; begins with a small chunk, as a single row keeps the whole chunk alive.
    private lazy var pointWriter = RowWriter(forOneRowOf: 512)
    private var pointCount = 0

    /// A reader over a connection; `isReading` if a transaction is open on it, or a single statement needs none.
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
        do { return try lookup.decoder.row(at: statement, &pointWriter) } catch is OrphanRows.Found {
            guard let table = store.schema.tables[root] else { return nil }
            throw store.orphanError(table, statement.integer(1))
        }
    }

    /// `SELECT t0.Z_PK, … FROM ZPERSON t0 WHERE t0.Z_PK = ?1`, kept prepared.
    private func lookup(_ root: EntityIndex) throws -> StoreStatements.Lookup? {
        connection.keepStatements(of: store)
        if let known = connection.storeStatements[root] { return known }
        guard let table = store.schema.tables[root] else { return nil }
        let decoder = store.decoder(table, table.hierarchy)
        let sql: SQLText = "\(decoder.rows) WHERE t0.Z_PK = ?1"
        let lookup = StoreStatements.Lookup(statement: try connection.prepare(sql.text, persistent: true), decoder: decoder)
        connection.storeStatements[root] = lookup
        return lookup
    }

    func existing(root: EntityIndex, references wanted: [Int64]) throws -> [ObjectReference] {
        guard let table = store.schema.tables[root], !wanted.isEmpty else { return [] }
        try start()
        var found: [ObjectReference] = []
        for start in stride(from: 0, to: wanted.count, by: 1024) {
            let list = ParameterList.sql(wanted[start..<min(wanted.count, start + 1024)].map { .integer($0) })
            found += try references("SELECT Z_PK, Z_ENT FROM \(table: table.name) WHERE Z_PK IN (\(list))", table)
        }
        return found
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        guard let table = store.schema.tables[root.index] else { return [] }
        try start()
        let statement = try connection.statement(table.versions)
        defer { statement.clear() }
        var versions: [RowVersion] = []
        while try statement.step(.fetch) {
            guard let entity = table.entity(ofNumber: statement.integer(1)) else {
                store.orphans.note(table)
                continue
            }
            versions.append(
                RowVersion(
                    entity: entity, reference: statement.integer(0), version: UInt32(truncatingIfNeeded: statement.integer(2))))
        }
        return versions
    }

    /// The number of rows up to which they are looked up one by one with an existing statement instead of preparing one for all.
    private static let fewReferences = 8

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let table = store.schema.tables[root], !references.isEmpty else { return [] }
        if references.count == 1, !store.orphans.areIn(table) { return try row(root: root, reference: references[0]).map { [$0] } ?? [] }
        let unique = references.isStrictlyAscending ? references : Set(references).sorted()
        if unique.count <= SQLiteReader.fewReferences, !store.orphans.areIn(table) {
            do { return try unique.compactMap { try row(root: root, reference: $0) } } catch {
                // An orphan row among others does not fail their fetch.
                if !store.orphans.areIn(table) { throw error }
            }
        }
        try start()
        var rows: [Row] = []
        rows.reserveCapacity(unique.count)
        var writer = GrowingWriter()
        for start in stride(from: 0, to: unique.count, by: SQLiteReader.longestList) {
            let list = unique[start..<min(unique.count, start + SQLiteReader.longestList)]
            let lookup = try listLookup(table, list)
            defer { lookup.statement.reset() }
            while try lookup.statement.step(.fetch) {
                do { rows.append(try writer.row(lookup.decoder, lookup.statement)) } catch is OrphanRows.Found { store.orphans.note(table) }
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
        guard let lookup = destinationLookup(relationship) else { return [] }
        let statement = try connection.statement(lookup.text)
        statement.bind(owner, at: 1)
        defer { statement.clear() }
        return try lookup.table.references(statement) { store.orphans.note(lookup.table) }
    }

    /// `SELECT t0.Z_PK, t0.Z_ENT FROM ZSTEP t0 WHERE t0.ZPROJECT = ? ORDER BY t0.Z_FOK_PROJECT, t0.Z_PK`; `nil` where
    /// the store lacks a table.
    ///
    /// The text is composed once: that costs as much as reading several rows.
    private func destinationLookup(_ relationship: RelationshipDescription) -> StoreStatements.DestinationLookup? {
        connection.keepStatements(of: store)
        if let known = connection.storeStatements.destinations[ObjectIdentifier(relationship)] { return known }
        guard let query = DestinationQuery(relationship, in: store.schema, of: store.model) else { return nil }
        let text = query.statement(.references, " = ?").text
        let lookup = StoreStatements.DestinationLookup(relationship: relationship, table: query.table, text: text)
        connection.storeStatements.destinations[ObjectIdentifier(relationship)] = lookup
        return lookup
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
                do { rows.append(try writer.row(decoder, statement)) } catch is OrphanRows.Found { store.orphans.note(members.table) }
            }
            return rows[first...].map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
        }
        return (destinations, rows)
    }

    /// `SELECT t0.Z_PK, … FROM ZSTEP t0 WHERE t0.ZPROJECT = ?1 ORDER BY t0.Z_FOK_PROJECT, t0.Z_PK`, kept prepared;
    /// `nil` for a many-to-many relationship.
    private func memberLookup(_ relationship: RelationshipDescription) throws -> StoreStatements.MemberLookup? {
        connection.keepStatements(of: store)
        if let known = connection.storeStatements.members[ObjectIdentifier(relationship)] { return known }
        guard case .inverse = relationship.storage, let query = DestinationQuery(relationship, in: store.schema, of: store.model) else {
            return nil
        }
        let decoder = store.decoder(query.table, query.table.hierarchy)
        let sql = query.statement(decoder.selection, " = ?1")
        let lookup = StoreStatements.Lookup(statement: try connection.prepare(sql.text, persistent: true), decoder: decoder)
        let members = StoreStatements.MemberLookup(relationship: relationship, table: query.table, lookup: lookup)
        connection.storeStatements.members[ObjectIdentifier(relationship)] = members
        return members
    }

    private func references(_ sql: SQLText, _ table: EntityTable) throws -> [ObjectReference] {
        let statement = try connection.statement(sql)
        defer { statement.clear() }
        return try table.references(statement) { store.orphans.note(table) }
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let join = store.schema.joins[table.index] else { return [] }
        return try links(join.links, join)
    }

    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        guard let join = store.schema.joins[table.index] else { return [] }
        switch selection {
        case .owners(let side, let owners):
            return try owners.flatMap { owner in
                try links("\(join.links) WHERE \(column: join.column(side)) = \(bind: .integer(owner))", join)
            }
        case .pairs(let pairs):
            return try pairs.flatMap { pair in
                let isFirst: SQLText = "\(column: join.first) = \(bind: .integer(pair.first))"
                return try links("\(join.links) WHERE \(isFirst) AND \(column: join.second) = \(bind: .integer(pair.second))", join)
            }
        }
    }

    private func links(_ sql: SQLText, _ join: JoinTable) throws -> [Link] {
        try start()
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

/// A held read transaction, on a connection of its own.
///
/// It keeps the log from being restarted, so that saves extend it.
final class SQLiteSnapshot: StoreSnapshot {
    private let store: SQLiteStore
    private let connection: SnapshotHold<Connection>

    init(_ store: SQLiteStore, _ connection: SnapshotHold<Connection>) {
        self.store = store
        self.connection = connection
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try store.check(.fetch)
        return try connection.use(orThrow: store.closed(.fetch)) { connection in
            try connection.whileNotCancelled { try body(SQLiteReader(store, connection, isReading: true)) }
        }
    }
}

extension SQLiteStore {
    /// Begins a read transaction and holds it.
    ///
    /// - Returns: `nil` where the database has no log: a reader blocks writers.
    /// - Throws: As `StoreBackend.holdSnapshot()`.
    public func holdSnapshot() throws -> (any StoreSnapshot)? {
        try check(.fetch)
        let connection = try pool.open()
        guard connection.isLogged else { return nil }
        try SQLiteReader(self, connection).takeSnapshot()
        return SQLiteSnapshot(self, snapshots.hold(connection))
    }
}
