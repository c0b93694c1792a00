import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// A snapshot of a PostgreSQL store: a transaction that is open on a connection.
final class PostgreSQLReader: StoreReader {
    let schema: StoreSchema
    let model: ManagedObjectModel
    let storeID: StoreID?
    private let id: StoreID
    let scope: ReadScope
    private let decoders: RowDecoders
    /// Rows that conditions led to one by one, as they do again and again.
    private var met: [EntityIndex: [Int64: Row?]] = [:]
    /// Destinations that conditions asked for object by object, as those of one object are asked for again and again.
    private var metDestinations: [ObjectIdentifier: [Int64: [Row]]] = [:]
    /// How many of a kind are kept, so that a scope that reads long does not hold all that it read.
    private static let mostMet = 10 * ReadAhead.mostRows
    private var ahead: ReadAhead

    init(_ store: PostgreSQLStore, _ scope: ReadScope) {
        schema = store.schema
        model = store.model
        storeID = store.id
        id = store.id
        self.scope = scope
        decoders = store.decoders
        ahead = ReadAhead(store.model)
    }

    /// A reader within a transaction that was begun on a connection.
    convenience init(_ store: PostgreSQLStore, _ connection: Connection) { self.init(store, ReadScope(store, in: connection)) }

    func takeSnapshot() throws { try scope.begin() }

    func expect(_ rows: [Row]) { ahead.begin(rows) }

    // MARK: - Plans

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        guard let table = schema.table(of: plan.entity) else { throw unknown(plan.entity) }
        let query = PlanQuery(plan, table, schema, id)
        if let answer = try answer(plan, query, table) { return answer }
        return try answer(plan, PlanQuery(plan, table, schema, id, allowsFailures: false), table) ?? .rows([], .nothing)
    }

    /// - Returns: `nil` where the server does not compute what the core would.
    private func answer(_ plan: FetchPlan, _ query: PlanQuery, _ table: EntityTable) throws -> StoreAnswer? {
        func run(_ sql: SQLText) throws -> ResultTable? {
            try query.mayFail ? scope.attempt(sql, .fetch) : scope.execute(sql, .fetch)
        }
        if query.remaining == nil {
            switch plan.result {
            case .count:
                return try run(query.count).map { .count(plan.slice(Int(truncatingIfNeeded: $0.integer(0, 0) ?? 0))) }
            case .references where query.isSliced:
                return try run(query.references).map { result in
                    var references = try references(result, table, .fetch)
                    if !query.isOrdered { references.order { $0.reference } }
                    return .references(references)
                }
            case .groups:
                guard let (sql, query) = query.groups else { break }
                guard let result = try run(sql) else { return nil }
                if let groups = query.groups(result) { return .groups(groups) }
            case .values:
                guard let (sql, query) = query.tuples else { break }
                return try run(sql).map { .values(query.tuples($0, plan)) }
            default: break
            }
        }
        let decoder = decoders.decoder(table, entities: plan.entities, model, schema)
        guard let result = try run(query.rows(decoder)) else { return nil }
        var rows = try decoder.rows(result, .fetch)
        if !query.isOrdered { rows.order { $0.reference } }
        if case .rows = plan.result, query.remaining == nil, query.isSorted {
            return .rows(rows, Remainder(needsSlice: !query.isSliced))
        }
        expect(rows)
        return .rows(rows, Remainder(predicate: query.remaining, needsSort: !query.isSorted, needsSlice: !query.isSliced))
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        guard let table = schema.table(of: plan.entity) else { throw unknown(plan.entity) }
        let decoder = decoders.decoder(table, entities: plan.entities, model, schema)
        func explanation(allowsFailures: Bool) throws -> PlanExplanation? {
            let query = PlanQuery(plan, table, schema, id, allowsFailures: allowsFailures)
            return try PlanExplainer(
                plan: plan, query: query, statement: query.statement(decoder), schema: schema, model: model, storeID: id, scope: scope
            ).explanation()
        }
        return try explanation(allowsFailures: true) ?? explanation(allowsFailures: false) ?? PlanExplanation(rowsRead: 0)
    }

    /// The objects that a statement answers.
    func references(
        _ sql: SQLText, _ table: EntityTable, _ operation: StoreError.Operation = .fetch
    ) throws -> [ObjectReference] {
        try references(try scope.execute(sql, operation), table, operation)
    }

    /// The objects that the first two columns of a result name.
    func references(
        _ result: ResultTable, _ table: EntityTable, _ operation: StoreError.Operation
    ) throws -> [ObjectReference] {
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

    private func unknown(_ entity: EntityDescription) -> StoreError {
        StoreError(.unknownEntity, .fetch, "the store's configuration has no such entity", entity: entity.name)
    }

    private func table(_ root: EntityIndex) throws -> EntityTable {
        guard let table = schema.tables[root] else {
            throw model.entities.typedIndices().contains(root)
                ? unknown(model.entities[root]) : StoreError(.unknownEntity, .fetch, "the model has no such entity")
        }
        return table
    }

    // MARK: - Rows by reference

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let known = met[root]?[reference] { return known }
        let references = ahead.references(with: reference, root: root)
        let rows = try rows(root: root, references: references)
        if let count = met[root]?.count, count >= PostgreSQLReader.mostMet { met[root] = nil }
        // Those that are not there are known, too.
        for reference in references { met[root, default: [:]].updateValue(nil, forKey: reference) }
        for row in rows { met[root]?.updateValue(row, forKey: row.reference) }
        if rows.count > 1 { ahead.note(rows) }
        return met[root]?[reference] ?? nil
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        let decoder = decoders.decoder(table, entities: table.tree, model, schema)
        if references.count == 1 { return try decoder.rows(try scope.execute(decoder.row(references[0]), .fetch), .fetch) }
        var sql = SQLText("SELECT \(decoder.columns)")
        sql.add(rowsOf: table, references)
        return try decoder.rows(try scope.execute(sql, .fetch), .fetch)
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        var sql = SQLText.selectingReferences
        sql.add(rowsOf: table, references)
        return try self.references(sql, table)
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        let table = try table(root.root)
        let sql = SQLText("SELECT \(columns: [EntityTable.id, EntityTable.entity, EntityTable.version]) FROM \(table.name) t0")
        let result = try scope.execute(sql, .fetch)
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

    /// The greatest reference that a tree's sequence gave out.
    func lastReference(_ table: EntityTable) throws -> Int64 {
        return try scope.execute(SQLText("SELECT last_value FROM \(table.sequence)"), .fetch).integer(0, 0) ?? 0
    }

    // MARK: - Destinations

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        guard let query = DestinationQuery(relationship, schema, model) else { return [] }
        var sql = SQLText.selectingReferences
        query.addSource([owner], to: &sql)
        return try references(sql, query.table)
    }

    /// The rows that a condition asks for, in one round trip with those that it will ask for next.
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let key = ObjectIdentifier(relationship)
        if let known = metDestinations[key]?[owner.reference] { return known }
        let owners = ahead.owners(with: owner, of: relationship)
        let (destinations, rows) = try destinationsWithRows(of: relationship, root: root, owners: owners)
        if let count = metDestinations[key]?.count, count >= PostgreSQLReader.mostMet { metDestinations[key] = nil }
        let byReference = Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
        for (owner, destinations) in zip(owners, destinations) {
            metDestinations[key, default: [:]][owner] = destinations.compactMap { byReference[$0.reference] }
        }
        if rows.count > 1 { ahead.note(rows) }
        return metDestinations[key]?[owner.reference] ?? []
    }

    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]] {
        guard let query = DestinationQuery(relationship, schema, model) else { return owners.map { _ in [] } }
        var sql = SQLText.selectingReferences
        sql.add(", ")
        query.addOwner(to: &sql)
        query.addSource(owners, to: &sql)
        let result = try scope.execute(sql, .fetch)
        return DestinationQuery.byOwner(try references(result, query.table, .fetch), owners, result, column: 2)
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row]) {
        guard let query = DestinationQuery(relationship, schema, model) else { return (owners.map { _ in [] }, []) }
        let decoder = decoders.decoder(query.table, entities: query.table.tree, model, schema)
        var sql = SQLText("SELECT \(decoder.columns), ")
        query.addOwner(to: &sql)
        query.addSource(owners, to: &sql)
        let result = try scope.execute(sql, .fetch)
        let rows = try decoder.rows(result, .fetch)
        let references = rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
        return (DestinationQuery.byOwner(references, owners, result, column: decoder.width), rows)
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let join = schema.joins[table.index] else { return [] }
        var sql = SQLText("SELECT ")
        let columns = [join.first, join.second, join.orderInFirst ?? join.first, join.orderInSecond ?? join.first]
        sql.add("\(columns: columns) FROM \(join.name) t0")
        let result = try scope.execute(sql, .fetch)
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

extension SQLText {
    /// `SELECT t0."_id", t0."_entity"`.
    static var selectingReferences: SQLText {
        var sql = SQLText("SELECT ")
        addReferences(to: &sql)
        return sql
    }

    /// Adds the rows that have some references: ` FROM "s"."person" t0 WHERE t0."_id" = ANY($1)`.
    mutating func add(rowsOf table: EntityTable, _ references: [Int64]) {
        add(" FROM ")
        add(table.name)
        add(" t0 WHERE ")
        add(column: EntityTable.id)
        add(" = ANY(")
        bind(ArrayValues(references).parameter)
        add(")")
    }

    /// `t0."_id", t0."_entity"`.
    static func addReferences(to sql: inout SQLText) {
        sql.add([EntityTable.id, EntityTable.entity], separator: ", ") { $0.add(column: $1) }
    }
}

extension Array {
    /// Brings what comes unordered into the order of references, in which a table that nobody changed has it already.
    fileprivate mutating func order(_ reference: (Element) -> Int64) {
        if zip(self, dropFirst()).allSatisfy({ reference($0) < reference($1) }) { return }
        sort { reference($0) < reference($1) }
    }
}
