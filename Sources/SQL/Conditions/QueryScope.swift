/// A table of a query, with its alias.
public struct QueryTable<Dialect: SQLDialect>: Sendable {
    /// The number of the alias: 0 for `t0`.
    public let alias: Int
    /// The table.
    public let table: EntityTable<Dialect>
    /// The entity whose objects the rows are.
    public let entity: EntityDescription
    /// The index of the scope in which the table is joined.
    let scope: Int

    /// Returns the column of a slot, `nil` where the table lacks it.
    public func column(_ slot: Slot) -> Dialect.Column? {
        let column = table.column(slot, of: entity.index)
        return column.isPresent ? column : nil
    }

    /// The table with its alias: `person t1`.
    var source: SQLText<Dialect> { "\(table: table.name) \(alias: alias)" }
}

/// The tables of a query, by the variables whose objects their rows are: those of the query itself, the first of which is `t0`, and those of
/// its subqueries.
///
/// Each variable of a condition has a table in one of the scopes. To-one steps of paths join tables within that scope, each step once only.
public struct QueryScope<Dialect: SQLDialect>: Sendable {
    /// A table of a scope, and the relation to the ones before it.
    private struct Item {
        enum Kind { case first, inner, left }

        let kind: Kind
        let table: Dialect.TableName
        let alias: Int
        /// The column that equals a column of another table.
        let column: String
        let source: (alias: Int, column: String)?
        /// The numbers of the entities whose rows count, where the table has rows of others.
        let numbers: [Int]

        /// The condition that keeps rows of other entities out: `t1.entity IN (2)`; `nil` where there are none.
        var entities: SQLText<Dialect>? {
            numbers.isEmpty ? nil : "\(column: Dialect.entityColumn, of: alias) IN (\(numbers: numbers))"
        }

        /// The relation to the other table: `t1.id = t0.boss_id`.
        var relation: SQLText<Dialect>? { source.map { QueryScope.relation(column, of: alias, to: $0.column, of: $0.alias) } }
    }

    /// The tables of variables.
    public var variables: [Int: QueryTable<Dialect>]
    private var scopes: [[Item]]
    /// The order of the elements of each scope, by their positions in ordered relationships and by reference; empty where it is not known.
    private(set) var orders: [[SQLText<Dialect>]] = [[]]
    private var aliases = 1
    private let schema: StoreSchema<Dialect>
    private let foreign: [Dialect.TableName: [Int]]

    /// The tables of a query over one table.
    ///
    /// - Parameters:
    ///   - schema: The tables of the store.
    ///   - table: The table of the query.
    ///   - entity: The entity whose properties the query names.
    ///   - foreign: The tables that have rows of other entities than the model's, by name, with the numbers of their entities.
    public init(
        _ schema: StoreSchema<Dialect>, table: EntityTable<Dialect>, entity: EntityDescription, foreign: [Dialect.TableName: [Int]] = [:]
    ) {
        self.schema = schema
        self.foreign = foreign
        variables = [0: QueryTable(alias: 0, table: table, entity: entity, scope: 0)]
        scopes = [[Item(kind: .first, table: table.name, alias: 0, column: "", source: nil, numbers: [])]]
    }

    private mutating func nextAlias() -> Int {
        defer { aliases += 1 }
        return aliases
    }

    /// Returns the condition that two columns are equal: `t1.id = t0.boss_id`.
    static func relation(_ column: String, of alias: Int, to otherColumn: String, of otherAlias: Int) -> SQLText<Dialect> {
        "\(column: column, of: alias) = \(column: otherColumn, of: otherAlias)"
    }

    // MARK: - To one

    /// Returns the table that a to-one step references, under an alias of its own; `nil` where it is not in the store.
    public mutating func destination(_ step: PropertyPath.Step) -> QueryTable<Dialect>? {
        schema.table(of: step.destination).map {
            QueryTable(alias: nextAlias(), table: $0, entity: step.destination, scope: 0)
        }
    }

    /// Returns the table at the end of a path, with the tables of its steps joined; where a step has no destination there are nulls.
    ///
    /// - Returns: `nil` where the store lacks a table or column along the path.
    public mutating func join(_ path: PropertyPath) -> QueryTable<Dialect>? {
        guard let start = variables[path.variable] else { return nil }
        var table = QueryTable(alias: start.alias, table: start.table, entity: path.entity, scope: start.scope)
        for step in path.steps {
            guard let next = join(step, of: table) else { return nil }
            table = next
        }
        return table
    }

    private mutating func join(_ step: PropertyPath.Step, of source: QueryTable<Dialect>) -> QueryTable<Dialect>? {
        guard let column = source.column(step.slot), let table = schema.table(of: step.destination) else { return nil }
        let known = scopes[source.scope].first { item in
            item.kind == .left && item.table == table.name && item.source.map { $0 == (source.alias, column.name) } ?? false
        }
        let alias = known?.alias ?? add(.left, table.name, Dialect.keyColumn, (source.alias, column.name), to: source.scope)
        return QueryTable(alias: alias, table: table, entity: step.destination, scope: source.scope)
    }

    private mutating func add(
        _ kind: Item.Kind, _ table: Dialect.TableName, _ column: String, _ source: (alias: Int, column: String), to scope: Int
    ) -> Int {
        let alias = nextAlias()
        scopes[scope].append(
            Item(kind: kind, table: table, alias: alias, column: column, source: source, numbers: foreign[table] ?? []))
        return alias
    }

    // MARK: - Collections

    /// Opens a scope for the elements of a collection that starts at the object of a variable.
    ///
    /// - Returns: The index of the scope; `nil` where the store lacks a table or column along the path.
    mutating func open(_ collection: ResolvedCollection, from variable: Int) -> Int? {
        guard let start = variables[variable], !collection.steps.isEmpty else { return nil }
        scopes.append([])
        orders.append([])
        let scope = scopes.count - 1
        return enter(collection, from: start, in: scope) ? scope : nil
    }

    /// Goes on, within its scope, from the elements of one collection to those of another.
    mutating func extend(_ inner: ResolvedCollection, to collection: ResolvedCollection) -> Bool {
        variables[inner.variable].map { enter(collection, from: $0, in: $0.scope) } ?? false
    }

    private mutating func enter(_ collection: ResolvedCollection, from start: QueryTable<Dialect>, in scope: Int) -> Bool {
        var table = start
        for step in collection.steps {
            guard let next = enter(step, from: table, in: scope) else { return false }
            table = next
        }
        variables[collection.variable] = QueryTable(alias: table.alias, table: table.table, entity: table.entity, scope: scope)
        return true
    }

    /// Adds the table that a relationship references; without destination there is no row.
    private mutating func enter(
        _ step: ResolvedCollection.Step, from source: QueryTable<Dialect>, in scope: Int
    ) -> QueryTable<Dialect>? {
        guard let table = schema.table(of: step.destination) else { return nil }
        let kind: Item.Kind = scopes[scope].isEmpty ? .first : .inner
        func destination(_ alias: Int) -> QueryTable<Dialect> {
            QueryTable(alias: alias, table: table, entity: step.destination, scope: scope)
        }
        if let slot = step.slot {
            return source.column(slot).map { destination(add(kind, table.name, Dialect.keyColumn, (source.alias, $0.name), to: scope)) }
        }
        switch step.relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let order) = step.destination.properties[property].relationship?.storage,
                case let column = table.column(slot, of: step.destination.index), column.isPresent
            else { return nil }
            let found = destination(add(kind, table.name, column.name, (source.alias, Dialect.keyColumn), to: scope))
            if let order = order.flatMap({ found.column($0) }) { addOrder(by: order.name, of: found.alias, to: scope, Dialect.nullsFirst) }
            addOrder(by: Dialect.keyColumn, of: found.alias, to: scope)
            return found
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return nil }
            let links = add(kind, join.name, join.column(side), (source.alias, Dialect.keyColumn), to: scope)
            let found = destination(add(.inner, table.name, Dialect.keyColumn, (links, join.column(side.opposite)), to: scope))
            if step.relationship.isOrdered, let order = join.order(side) { addOrder(by: order, of: links, to: scope, Dialect.nullsFirst) }
            addOrder(by: Dialect.keyColumn, of: found.alias, to: scope)
            return found
        case .toOne, .none: return nil
        }
    }

    private mutating func addOrder(by column: String, of alias: Int, to scope: Int, _ nulls: StaticString = "") {
        orders[scope].append(SQLText<Dialect>("\(column: column, of: alias)\(nulls)"))
    }

    // MARK: - SQL

    /// Whether the query has its first table only, and no subquery.
    public var isOneTable: Bool { scopes.count == 1 && joinsNothing }
    /// Whether the query itself, its subqueries aside, has its first table only.
    public var joinsNothing: Bool { scopes[0].count == 1 }

    /// Returns the condition that the object that a scope's rows belong to is among the owners of those that meet some conditions, as
    /// `t0.id IN (SELECT t1.boss_id FROM person t1 WHERE …)`; `nil` where the way to them does not start at its key.
    func owners(_ scope: Int, _ conditions: [SQLText<Dialect>]) -> SQLText<Dialect>? {
        guard let first = scopes[scope].first, let source = first.source, source.column == Dialect.keyColumn else { return nil }
        let rows = self.source(scope, conditions, ofAnyOwner: true)
        return "\(column: source.column, of: source.alias) IN (SELECT \(column: first.column, of: first.alias)\(rows))"
    }

    /// Returns the tables of a scope, and conditions on its rows:
    /// ` FROM projects t1 JOIN project t2 ON t2.id = t1.project_id WHERE t1.member_id = t0.id AND …`.
    ///
    /// - Parameters:
    ///   - scope: The index of the scope, 0 for the query itself.
    ///   - conditions: Conditions besides the relation to the object outside.
    ///   - ofAnyOwner: Whether the relation to the object outside is left out.
    public func source(_ scope: Int, _ conditions: [SQLText<Dialect>], ofAnyOwner: Bool = false) -> SQLText<Dialect> {
        var sql = SQLText<Dialect>()
        for item in scopes[scope] {
            let keyword: StaticString =
                switch item.kind {
                case .first: " FROM "
                case .inner: " JOIN "
                case .left: " LEFT JOIN "
                }
            sql.add("\(keyword)\(table: item.table) \(alias: item.alias)")
            guard item.kind != .first else { continue }
            sql.add(" ON \([item.relation, item.entities].compactMap(\.self), separator: " AND ")")
        }
        let first = scopes[scope].first
        let all = [ofAnyOwner ? nil : first?.relation, first?.entities].compactMap(\.self) + conditions
        if !all.isEmpty { sql.add(" WHERE \(all, separator: " AND ")") }
        return sql
    }
}
