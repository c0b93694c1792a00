import StrataSQL

/// A snapshot of a PostgreSQL store: a transaction that is open on a connection.
final class PostgreSQLReader: StoreReader {
    private let store: PostgreSQLStore
    let scope: ReadScope
    /// The rows that conditions reached one by one, as conditions reach the same rows repeatedly.
    private var cachedRows: [EntityIndex: [Int64: Row?]] = [:]
    /// The destinations that conditions read object by object, as they read those of one object repeatedly.
    private var cachedDestinations: [ObjectIdentifier: [Int64: [Row]]] = [:]
    /// The maximum number of cached entries of a kind, which bounds the memory of a long read.
    private static let mostCached = 10 * ReadAhead.mostRows
    private var ahead: ReadAhead

    init(_ store: PostgreSQLStore, _ scope: ReadScope) {
        self.store = store
        self.scope = scope
        ahead = ReadAhead(store.model)
    }

    /// A reader within a transaction that was begun on a connection.
    convenience init(_ store: PostgreSQLStore, _ connection: Connection) { self.init(store, ReadScope(store, in: connection)) }

    var schema: StoreSchema { store.schema }
    var model: ManagedObjectModel { store.model }
    var storeID: StoreID? { store.id }

    func takeSnapshot() throws { try scope.begin() }

    func expect(_ rows: [Row]) { ahead.begin(rows) }

    // MARK: - Plans

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        let table = try schema.requireTable(of: plan.entity.index, in: model, .fetch)
        return try answer(plan, table, allowsFailures: true) ?? answer(plan, table, allowsFailures: false) ?? .rows([], .nothing)
    }

    /// - Returns: `nil` where the server does not compute what the core would.
    private func answer(_ plan: FetchPlan, _ table: EntityTable, allowsFailures: Bool) throws -> StoreAnswer? {
        let compiler = PlanCompiler(plan, table, in: context(allowsFailures: allowsFailures))
        let decoder = store.decoder(table, plan.entities)
        let compiled = compiler.compile(decoder.columns)
        switch compiled.output {
        case .count: return try run(compiled).map { .count(plan.slice(Int(truncatingIfNeeded: $0.integer(0, 0) ?? 0))) }
        case .references:
            return try run(compiled).map { result in
                var references = try references(result, table, .fetch)
                if !compiled.isOrdered { references.order { $0.reference } }
                return .references(references)
            }
        case .groups(let columns):
            guard let result = try run(compiled, columns.statement(compiled.sql)) else { return nil }
            try result.require(columns.kinds.map { $0.map(ColumnType.init(selected:)) }, of: table.name.name, .fetch)
            if let groups = try groups(result, columns) { return .groups(groups) }
            return try rows(plan, compiler.rows(decoder.columns), decoder)
        case .values(let query):
            return try run(compiled).map { result in
                try result.require(query.kinds.map(ColumnType.init(selected:)), of: table.name.name, .fetch)
                return .values(query.tuples(result, plan))
            }
        case .rows: return try rows(plan, compiled, decoder)
        }
    }

    private func context(allowsFailures: Bool) -> PlanContext { PlanContext(schema, storeID: store.id, allowsFailures: allowsFailures) }

    private func run(_ compiled: CompiledPlan, _ statement: SQLText? = nil) throws -> ResultTable? {
        let sql = statement ?? compiled.sql
        let result = try compiled.mayFail ? scope.attempt(sql, .fetch) : scope.execute(sql, .fetch)
        if let result { StoreReading.note(rowsRead: result.count) }
        return result
    }

    /// - Returns: `nil` where the core groups the values differently.
    private func groups(_ result: ResultTable, _ columns: GroupColumns) throws -> [Group]? {
        var groups: [Group] = []
        groups.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let group = try columns.group(ResultRow(result: result, row: row)) else { return nil }
            groups.append(group)
        }
        return groups
    }

    private func rows(_ plan: FetchPlan, _ compiled: CompiledPlan, _ decoder: RowDecoder) throws -> StoreAnswer? {
        guard let result = try run(compiled) else { return nil }
        var rows = try decoder.rows(result, .fetch)
        if !compiled.isOrdered { rows.order { $0.reference } }
        if case .rows = plan.result, compiled.remaining.isEmpty, !compiled.remainder.needsSort { return .rows(rows, compiled.remainder) }
        expect(rows)
        return .rows(rows, compiled.remainder)
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        let table = try schema.requireTable(of: plan.entity.index, in: model, .fetch)
        let decoder = store.decoder(table, plan.entities)
        func explanation(allowsFailures: Bool) throws -> PlanExplanation? {
            let compiled = PlanCompiler(plan, table, in: context(allowsFailures: allowsFailures)).compile(decoder.columns)
            let statement = if case .groups(let columns) = compiled.output { columns.statement(compiled.sql) } else { compiled.sql }
            return try PlanExplainer(plan: plan, compiled: compiled, statement: statement, reader: self).explanation()
        }
        return try explanation(allowsFailures: true) ?? explanation(allowsFailures: false) ?? PlanExplanation(rowsRead: 0)
    }

    /// Returns the objects in the first two columns of a result.
    func references(
        _ result: ResultTable, _ table: EntityTable, _ operation: StoreError.Operation
    ) throws -> [ObjectReference] {
        try result.require([.bigint, .integer], of: table.name.name, operation)
        var references: [ObjectReference] = []
        references.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let reference = result.integer(row, 0), let number = result.number(row, 1, as: Int32.self),
                let entity = table.entity(ofNumber: Int64(number))
            else { throw StoreError(.corrupt, operation, "a row of the table \(table.name.name) is of no entity of the model") }
            references.append(ObjectReference(entity: entity, reference: reference))
        }
        return references
    }

    // MARK: - Rows by reference

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let known = cachedRows[root]?[reference] { return known }
        let references = ahead.references(with: reference, root: root)
        let rows = try rows(root: root, references: references)
        if let count = cachedRows[root]?.count, count >= PostgreSQLReader.mostCached { cachedRows[root] = nil }
        // Missing rows are cached, too.
        for reference in references { cachedRows[root, default: [:]].updateValue(nil, forKey: reference) }
        for row in rows { cachedRows[root]?.updateValue(row, forKey: row.reference) }
        if rows.count > 1 { ahead.note(rows) }
        return cachedRows[root]?[reference] ?? nil
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        let decoder = store.decoder(table, table.hierarchy)
        if references.count == 1 { return try decoder.rows(try scope.execute(decoder.row(references[0]), .fetch), .fetch) }
        let sql: SQLText = "SELECT \(decoder.columns)\(table.rows(references))"
        return try decoder.rows(try scope.execute(sql, .fetch), .fetch)
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        return try self.references(scope.execute("SELECT \(SQLText.references)\(table.rows(references))", .fetch), table, .fetch)
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        let table = try schema.requireTable(of: root.root, in: model, .fetch)
        let result = try scope.execute(table.versions, .fetch)
        try result.require(ColumnType.identity, of: table.name.name, .fetch)
        var versions: [RowVersion] = []
        versions.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let reference = result.integer(row, 0),
                let entity = result.number(row, 1, as: Int32.self).flatMap({ table.entity(ofNumber: Int64($0)) }),
                let version = result.integer(row, 2).flatMap({ UInt32(exactly: $0) })
            else { continue }
            versions.append(RowVersion(entity: entity, reference: reference, version: version))
        }
        return versions
    }

    /// Returns the greatest reference that a hierarchy's sequence generated.
    func lastReference(_ table: EntityTable) throws -> Int64 {
        try scope.execute(SQLText("SELECT last_value FROM \(table.sequence)"), .fetch).integer(0, 0) ?? 0
    }

    // MARK: - Destinations

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        guard let query = DestinationQuery(relationship, in: schema, of: model) else { return [] }
        return try references(scope.execute(query.statement(.references, ofOwners: [owner]), .fetch), query.table, .fetch)
    }

    /// Returns the rows that a condition reads, in one round trip with those that it will read next.
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let key = ObjectIdentifier(relationship)
        if let known = cachedDestinations[key]?[owner.reference] { return known }
        let owners = ahead.owners(with: owner, of: relationship)
        let (destinations, rows) = try destinationsWithRows(of: relationship, root: root, owners: owners)
        if let count = cachedDestinations[key]?.count, count >= PostgreSQLReader.mostCached { cachedDestinations[key] = nil }
        let byReference = Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
        for (owner, destinations) in zip(owners, destinations) {
            cachedDestinations[key, default: [:]][owner] = destinations.compactMap { byReference[$0.reference] }
        }
        if rows.count > 1 { ahead.note(rows) }
        return cachedDestinations[key]?[owner.reference] ?? []
    }

    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]] {
        guard let query = DestinationQuery(relationship, in: schema, of: model) else { return owners.map { _ in [] } }
        let result = try scope.execute(query.statement("\(SQLText.references), \(query.owner)", ofOwners: owners), .fetch)
        try result.require([.bigint], from: 2, of: query.table.name.name, .fetch)
        return result.grouped(try references(result, query.table, .fetch), by: owners, in: 2)
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row]) {
        guard let query = DestinationQuery(relationship, in: schema, of: model) else { return (owners.map { _ in [] }, []) }
        let decoder = store.decoder(query.table, query.table.hierarchy)
        let result = try scope.execute(query.statement("\(decoder.columns), \(query.owner)", ofOwners: owners), .fetch)
        let rows = try decoder.rows(result, .fetch)
        try result.require([.bigint], from: decoder.width, of: query.table.name.name, .fetch)
        let references = rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
        return (result.grouped(references, by: owners, in: decoder.width), rows)
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let join = schema.joins[table.index] else { return [] }
        return try links(join.links, join)
    }

    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        guard let join = schema.joins[table.index] else { return [] }
        switch selection {
        case .owners(let side, let owners):
            let isOwned: SQLText = "\(column: join.column(side)) = ANY(\(bind: ArrayValues(owners).parameter))"
            return try links("\(join.links) WHERE \(isOwned)", join)
        case .pairs(let pairs):
            let arrays = [pairs.map(\.first), pairs.map(\.second)].map { SQLText("\(bind: ArrayValues($0).parameter)") }
            return try links("\(join.links) WHERE (\(columns: [join.first, join.second])) IN (SELECT * FROM unnest(\(arrays)))", join)
        }
    }

    private func links(_ sql: SQLText, _ join: JoinTable) throws -> [Link] {
        let result = try scope.execute(sql, .fetch)
        try result.require(join.columns.map { _ in .bigint }, of: join.name.name, .fetch)
        return (0..<result.count).compactMap { row in
            guard let first = result.integer(row, 0), let second = result.integer(row, 1) else { return nil }
            func order(_ name: String?, _ column: Int) -> OrderKey? {
                name == nil ? nil : result.integer(row, column).map { OrderKey(rawValue: $0) }
            }
            return Link(
                first: first, second: second, orderInFirst: order(join.orderInFirst, 2), orderInSecond: order(join.orderInSecond, 3))
        }
    }
}

extension EntityTable {
    /// Returns the clause for the rows with some references: ` FROM "s"."person" t0 WHERE t0."_id" = ANY($1)`.
    func rows(_ references: [Int64]) -> SQLText {
        " FROM \(name) t0 WHERE \(column: EntityTable.id) = ANY(\(bind: ArrayValues(references).parameter))"
    }
}

extension DestinationQuery {
    /// Selects columns of the destinations of some owners.
    fileprivate func statement(_ columns: SQLText, ofOwners owners: [Int64]) -> SQLText {
        // The server plans anew for each array of one element.
        let condition: SQLText =
            owners.count == 1 ? " = \(bind: .bigint(owners[0]))" : " = ANY(\(bind: ArrayValues(owners).parameter))"
        return statement(columns, condition)
    }
}

extension ResultTable {
    /// Groups elements by the owner in a column of their rows.
    fileprivate func grouped<T>(_ elements: [T], by owners: [Int64], in column: Int) -> [[T]] {
        var found: [Int64: [T]] = [:]
        for (row, element) in elements.enumerated() {
            if let owner = integer(row, column) { found[owner, default: []].append(element) }
        }
        return owners.map { found[$0] ?? [] }
    }
}

extension Array {
    /// Sorts by reference; rows of an unchanged table are mostly in that order already.
    fileprivate mutating func order(_ reference: (Element) -> Int64) {
        if zip(self, dropFirst()).allSatisfy({ reference($0) < reference($1) }) { return }
        sort { reference($0) < reference($1) }
    }
}
