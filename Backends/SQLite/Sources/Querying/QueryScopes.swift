import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// The tables of a statement: those of the query itself, whose first is that of the fetched entity, `t0`, and those of its subqueries.
///
/// Every variable of a condition has a table in one of the scopes. What its to-one paths lead through joins the tables of that scope, where
/// the same step is taken once only.
struct QueryScopes {
    /// A table of a scope, and how it joins the ones before it.
    private struct Item {
        enum Kind { case first, inner, left }

        let kind: Kind
        let table: String
        let alias: Int
        /// The column that has to equal a column of another table.
        let column: String
        let source: (alias: Int, column: String)?
        /// The numbers of the table's entities, where it has rows of others.
        var numbers: [Int] = []

        /// Adds what keeps rows of other entities out: ` AND t1.Z_ENT IN (2)`.
        func addEntities(to sql: inout SQLText) {
            sql.add(column: "Z_ENT", of: alias)
            sql.add(" IN (")
            sql.add(numbers, separator: ", ") { $0.add(number: $1) }
            sql.add(")")
        }

        /// Adds what relates the table to the other one.
        func addRelation(to sql: inout SQLText) {
            guard let source else { return }
            sql.add(column: column, of: alias)
            sql.add(" = ")
            sql.add(column: source.column, of: source.alias)
        }
    }

    private struct Variable {
        let alias: Int
        let entity: EntityDescription
        let scope: Int
    }

    private var scopes: [[Item]] = []
    private var variables: [Int: Variable] = [:]
    private var aliases = 0
    private let schema: StoreSchema
    /// The tables that have stray rows, by name, with the numbers of their entities.
    private let strays: [String: [Int]]

    /// The tables of a query for the rows of one table.
    init(_ schema: StoreSchema, root: EntityTable, entity: EntityDescription, strays: Set<EntityIndex>) {
        self.schema = schema
        self.strays = Dictionary(strays.compactMap { schema.tables[$0] }.map { ($0.name, $0.numbers) }) { first, _ in first }
        scopes = [[Item(kind: .first, table: root.name, alias: 0, column: "", source: nil)]]
        aliases = 1
        variables[0] = Variable(alias: 0, entity: entity, scope: 0)
    }

    // MARK: - Paths

    /// The column at the end of a path, with the tables on the way added.
    ///
    /// - Returns: `nil` where the store lacks a table or column on the way.
    mutating func column(at path: PropertyPath) -> SQLExpression? {
        guard let (alias, entity) = follow(path) else { return nil }
        guard let slot = path.leafSlot else { return SQLExpression(column: "Z_PK", of: alias, kind: .reference, root: entity.root) }
        guard let column = column(slot, of: entity) else { return nil }
        return SQLExpression(
            column: column.name, of: alias, kind: path.leafKind, isExternal: column.isExternal, root: path.objectEntity?.root)
    }

    /// The column that says of which entity the object at the end of a path is, with the tables on the way added, and the table it is of.
    mutating func entityNumber(at path: PropertyPath) -> (column: SQLText, table: EntityTable)? {
        guard let (alias, entity) = follow(path), let table = schema.table(of: entity) else { return nil }
        var column = SQLText()
        column.add(column: "Z_ENT", of: alias)
        return (column, table)
    }

    /// The table that the steps of a path lead to, with those on the way added.
    private mutating func follow(_ path: PropertyPath) -> (alias: Int, entity: EntityDescription)? {
        guard let start = variables[path.variable] else { return nil }
        var (alias, entity) = (start.alias, path.entity)
        for step in path.steps {
            guard let next = follow(step.slot, of: entity, from: alias, to: step.destination, in: start.scope) else { return nil }
            (alias, entity) = (next, step.destination)
        }
        return (alias, entity)
    }

    /// The table that a to-one relationship references; it joins with nulls where that is nowhere.
    private mutating func follow(
        _ slot: Slot, of entity: EntityDescription, from alias: Int, to destination: EntityDescription, in scope: Int
    ) -> Int? {
        guard let column = column(slot, of: entity), let table = schema.table(of: destination) else { return nil }
        let known = scopes[scope].first { item in
            item.kind == .left && item.table == table.name && item.source.map { $0 == (alias, column.name) } ?? false
        }
        return known?.alias ?? add(.left, table.name, "Z_PK", (alias, column.name), to: scope)
    }

    private func column(_ slot: Slot, of entity: EntityDescription) -> Column? {
        guard let column = schema.table(of: entity)?.column(slot, of: entity.index), column.isPresent else { return nil }
        return column
    }

    private mutating func add(
        _ kind: Item.Kind, _ table: String, _ column: String, _ source: (alias: Int, column: String), to scope: Int
    ) -> Int {
        defer { aliases += 1 }
        scopes[scope].append(
            Item(kind: kind, table: table, alias: aliases, column: column, source: source, numbers: strays[table] ?? []))
        return aliases
    }

    // MARK: - Collections

    /// Opens a scope for the elements of a collection that starts at the object of a variable.
    ///
    /// - Returns: The scope; `nil` where this store lacks a table or column on the way.
    mutating func open(_ collection: ResolvedCollection, from variable: Int) -> Int? {
        guard let start = variables[variable], !collection.steps.isEmpty else { return nil }
        scopes.append([])
        let scope = scopes.count - 1
        return reach(collection, from: Variable(alias: start.alias, entity: start.entity, scope: scope)) ? scope : nil
    }

    /// Goes on, within its scope, from the elements of one collection to those of another.
    mutating func extend(_ inner: ResolvedCollection, to collection: ResolvedCollection) -> Bool {
        variables[inner.variable].map { reach(collection, from: $0) } ?? false
    }

    private mutating func reach(_ collection: ResolvedCollection, from start: Variable) -> Bool {
        var (alias, entity) = (start.alias, start.entity)
        for step in collection.steps {
            guard let next = enter(step, of: entity, from: alias, in: start.scope) else { return false }
            (alias, entity) = (next, step.destination)
        }
        variables[collection.variable] = Variable(alias: alias, entity: entity, scope: start.scope)
        return true
    }

    /// Adds the table of what a relationship references; where that is nowhere, there is no row.
    private mutating func enter(
        _ step: ResolvedCollection.Step, of entity: EntityDescription, from alias: Int, in scope: Int
    ) -> Int? {
        guard let table = schema.table(of: step.destination) else { return nil }
        let kind: Item.Kind = scopes[scope].isEmpty ? .first : .inner
        if let slot = step.slot {
            return column(slot, of: entity).map { add(kind, table.name, "Z_PK", (alias, $0.name), to: scope) }
        }
        switch step.relationship.storage {
        case .inverse(let property):
            guard case .relationship(let inverse) = step.destination.properties[property], case .toOne(let slot, _, _) = inverse.storage,
                let column = column(slot, of: step.destination)
            else { return nil }
            return add(kind, table.name, column.name, (alias, "Z_PK"), to: scope)
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return nil }
            let links = add(kind, join.name, join.column(side), (alias, "Z_PK"), to: scope)
            return add(.inner, table.name, "Z_PK", (links, join.column(side.opposite)), to: scope)
        case .toOne, .none: return nil
        }
    }

    /// The key of the object of a variable.
    func key(ofVariable variable: Int) -> SQLExpression? {
        variables[variable].map { SQLExpression(column: "Z_PK", of: $0.alias, kind: .reference, root: $0.entity.root) }
    }

    // MARK: - SQL

    /// That the object that a scope's rows belong to is among the owners of those that meet some conditions, as
    /// `t0.Z_PK IN (SELECT t1.ZBOSS FROM ZPERSON t1 WHERE …)`; `nil` where the way to them
    /// does not start at its key.
    func owners(_ scope: Int, _ conditions: [SQLText]) -> SQLText? {
        guard let first = scopes[scope].first, let source = first.source, source.column == "Z_PK" else { return nil }
        var sql = SQLText()
        sql.add(column: source.column, of: source.alias)
        sql.add(" IN (SELECT ")
        sql.add(column: first.column, of: first.alias)
        addSource(scope, conditions, ofAnyOwner: true, to: &sql)
        sql.add(")")
        return sql
    }

    /// Whether the query has its first table only, and no subquery.
    var isOneTable: Bool { scopes.count == 1 && joinsNothing }
    /// Whether the query itself, its subqueries aside, has its first table only.
    var joinsNothing: Bool { scopes[0].count == 1 }

    /// Adds the tables of a scope, and conditions that its rows have to meet:
    /// ` FROM Z_1PROJECTS t1 JOIN ZPROJECT t2 ON t2.Z_PK = t1.Z_3PROJECTS WHERE t1.Z_1MEMBERS = t0.Z_PK AND …`.
    ///
    /// - Parameter ofAnyOwner: Whether the rows of every object count, not only those of one.
    func addSource(_ scope: Int, _ conditions: [SQLText], ofAnyOwner: Bool = false, to sql: inout SQLText) {
        var isFirst = true
        func connect(_ sql: inout SQLText) {
            sql.add(isFirst ? " WHERE " : " AND ")
            isFirst = false
        }
        for item in scopes[scope] {
            switch item.kind {
            case .first: sql.add(" FROM ")
            case .inner: sql.add(" JOIN ")
            case .left: sql.add(" LEFT JOIN ")
            }
            sql.add(identifier: item.table)
            sql.add(" ")
            sql.add(alias: item.alias)
            guard item.kind != .first else { continue }
            sql.add(" ON ")
            item.addRelation(to: &sql)
            if !item.numbers.isEmpty {
                sql.add(" AND ")
                item.addEntities(to: &sql)
            }
        }
        if !ofAnyOwner, let first = scopes[scope].first, first.source != nil {
            connect(&sql)
            first.addRelation(to: &sql)
        }
        if let first = scopes[scope].first, !first.numbers.isEmpty {
            connect(&sql)
            first.addEntities(to: &sql)
        }
        for condition in conditions {
            connect(&sql)
            sql.add(condition)
        }
    }
}
