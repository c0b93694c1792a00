import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// A snapshot of a PostgreSQL store: a transaction that is open on a connection.
final class PostgreSQLReader: StoreReader {
    let schema: StoreSchema
    let model: ManagedObjectModel
    let storeID: StoreID?
    private let id: StoreID
    let connection: Connection
    /// Rows that conditions led to one by one, as they do again and again.
    private var met: [EntityIndex: [Int64: Row?]] = [:]

    init(_ store: PostgreSQLStore, _ connection: Connection) {
        schema = store.schema
        model = store.model
        storeID = store.id
        id = store.id
        self.connection = connection
    }

    // MARK: - Plans

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        guard let table = schema.table(of: plan.entity) else { throw unknown(plan.entity) }
        let query = PlanQuery(plan, table, schema, id)
        if query.remaining == nil {
            switch plan.result {
            case .count:
                let result = try connection.execute(query.count, .fetch)
                return .count(plan.slice(Int(truncatingIfNeeded: result.integer(0, 0) ?? 0)))
            case .references where query.isSliced: return .references(try references(query.references, table))
            case .groups:
                if let (sql, query) = query.groups, let groups = query.groups(try connection.execute(sql, .fetch)) {
                    return .groups(groups)
                }
            default: break
            }
        }
        let decoder = RowDecoder(table, entities: plan.entities, model, schema)
        let rows = try decoder.rows(try connection.execute(query.rows(decoder), .fetch), .fetch)
        return .rows(rows, Remainder(predicate: query.remaining, needsSort: !query.isSorted, needsSlice: !query.isSliced))
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        guard let table = schema.table(of: plan.entity) else { throw unknown(plan.entity) }
        let query = PlanQuery(plan, table, schema, id)
        let decoder = RowDecoder(table, entities: plan.entities, model, schema)
        return try PlanExplainer(
            plan: plan, query: query, statement: query.statement(decoder), schema: schema, model: model, storeID: id, connection: connection
        ).explanation()
    }

    /// The objects that a statement answers.
    func references(
        _ sql: SQLText, _ table: EntityTable, _ operation: StoreError.Operation = .fetch
    ) throws -> [ObjectReference] {
        let result = try connection.execute(sql, operation)
        var references: [ObjectReference] = []
        references.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let reference = result.integer(row, 0), let number = result.number(row, 1, as: Int32.self),
                let entity = table.entity(ofNumber: number)
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
            throw model.entities.places().contains(root)
                ? unknown(model.entities[root]) : StoreError(.unknownEntity, .fetch, "the model has no such entity")
        }
        return table
    }

    // MARK: - Rows by reference

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let known = met[root]?[reference] { return known }
        let row = try rows(root: root, references: [reference]).first
        met[root, default: [:]][reference] = .some(row)
        return row
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        let decoder = RowDecoder(table, entities: table.tree, model, schema)
        var sql = SQLText("SELECT ")
        decoder.addColumns(to: &sql)
        add(table, references, to: &sql)
        return try decoder.rows(try connection.execute(sql, .fetch), .fetch)
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let table = schema.tables[root], !references.isEmpty else { return [] }
        var sql = SQLText.selectingReferences
        add(table, references, to: &sql)
        return try self.references(sql, table)
    }

    /// ` FROM "s"."person" t0 WHERE t0."_id" = ANY($1)`.
    private func add(_ table: EntityTable, _ references: [Int64], to sql: inout SQLText) {
        sql.add(" FROM ")
        sql.add(table.name)
        sql.add(" t0 WHERE ")
        sql.add(column: EntityTable.id)
        sql.add(" = ANY(")
        sql.bind(ArrayValues(references).parameter)
        sql.add(")")
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        let table = try table(root.root)
        var sql = SQLText("SELECT ")
        sql.add([EntityTable.id, EntityTable.entity, EntityTable.version], separator: ", ") { $0.add(column: $1) }
        sql.add(" FROM ")
        sql.add(table.name)
        sql.add(" t0")
        let result = try connection.execute(sql, .fetch)
        var versions: [RowVersion] = []
        versions.reserveCapacity(result.count)
        for row in 0..<result.count {
            guard let reference = result.integer(row, 0), let entity = result.number(row, 1).flatMap({ table.entity(ofNumber: $0) }),
                let version = result.integer(row, 2)
            else { continue }
            versions.append(RowVersion(entity: entity, reference: reference, version: UInt32(truncatingIfNeeded: version)))
        }
        return versions
    }

    /// The greatest reference that a tree's sequence gave out.
    func lastReference(_ table: EntityTable) throws -> Int64 {
        var sql = SQLText("SELECT last_value FROM ")
        sql.add(table.sequence)
        return try connection.execute(sql, .fetch).integer(0, 0) ?? 0
    }

    // MARK: - Destinations

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        let destination = model.destination(of: relationship)
        guard let table = schema.table(of: destination) else { return [] }
        switch relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let order) = destination.properties[property].relationship?.storage else { return [] }
            return try related(table, destination.index, slot, order, owner)
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return [] }
            return try linked(join, side, table, relationship.isOrdered, owner)
        case .toOne, .none: return []
        }
    }

    /// `SELECT t0."_id", t0."_entity" FROM "s"."step" t0 WHERE t0."project_id" = $1 ORDER BY t0."project_order" NULLS FIRST, t0."_id"`.
    private func related(
        _ table: EntityTable, _ entity: EntityIndex, _ slot: Slot, _ order: Slot?, _ owner: Int64
    ) throws -> [ObjectReference] {
        var sql = SQLText.selectingReferences
        sql.add(" FROM ")
        sql.add(table.name)
        sql.add(" t0 WHERE ")
        sql.add(column: table.column(slot, of: entity).name)
        sql.add(" = ")
        sql.bind(.bigint(owner))
        sql.add(" ORDER BY ")
        if let order {
            sql.add(column: table.column(order, of: entity).name)
            sql.add(" NULLS FIRST, ")
        }
        sql.add(column: EntityTable.id)
        return try references(sql, table)
    }

    /// Joined with the table of the destinations: links to no row are passed over.
    private func linked(
        _ join: JoinTable, _ side: LinkSide, _ table: EntityTable, _ isOrdered: Bool, _ owner: Int64
    ) throws -> [ObjectReference] {
        var sql = SQLText.selectingReferences
        sql.add(" FROM ")
        sql.add(join.name)
        sql.add(" t1 JOIN ")
        sql.add(table.name)
        sql.add(" t0 ON ")
        sql.add(column: EntityTable.id)
        sql.add(" = ")
        sql.add(column: join.column(side.opposite), of: 1)
        sql.add(" WHERE ")
        sql.add(column: join.column(side), of: 1)
        sql.add(" = ")
        sql.bind(.bigint(owner))
        sql.add(" ORDER BY ")
        if isOrdered, let order = join.order(side) {
            sql.add(column: order, of: 1)
            sql.add(" NULLS FIRST, ")
        }
        sql.add(column: EntityTable.id)
        return try references(sql, table)
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard let join = schema.joins[table.index] else { return [] }
        var sql = SQLText("SELECT ")
        let columns = [join.first, join.second, join.orderInFirst ?? join.first, join.orderInSecond ?? join.first]
        sql.add(columns, separator: ", ") { $0.add(column: $1) }
        sql.add(" FROM ")
        sql.add(join.name)
        sql.add(" t0")
        let result = try connection.execute(sql, .fetch)
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

    /// `t0."_id", t0."_entity"`.
    static func addReferences(to sql: inout SQLText) {
        sql.add([EntityTable.id, EntityTable.entity], separator: ", ") { $0.add(column: $1) }
    }
}
