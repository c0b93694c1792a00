import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// The tables of a query, by the variables whose objects lie in them.
struct QueryScope {
    /// A table of a query.
    struct Place {
        /// The number of the table in the query: `t0`.
        let alias: Int
        let table: EntityTable
        let entity: EntityDescription

        func column(_ slot: Slot) -> Column { table.column(slot, of: entity.index) }
    }

    /// The tables and conditions of a subquery over a collection's elements.
    struct Elements {
        fileprivate(set) var source = SQLText()
        var conditions: [SQLText] = []
        /// What the core goes through the elements by: `t1."_id"`.
        fileprivate(set) var order: [SQLText] = []
        /// Whether the conditions are all that the collection's filter says.
        var isExact = true
        fileprivate var isEmpty = true
    }

    private let schema: StoreSchema
    private var aliases = 1
    /// Where the object of each variable lies.
    var places: [Int: Place]

    init(_ schema: StoreSchema, _ table: EntityTable, _ entity: EntityDescription) {
        self.schema = schema
        places = [0: Place(alias: 0, table: table, entity: entity)]
    }

    private mutating func nextAlias() -> Int {
        defer { aliases += 1 }
        return aliases
    }

    // MARK: - To one

    /// The table that a to-one relationship references; `nil` where it is not in the store.
    mutating func destination(_ step: PropertyPath.Step) -> Place? {
        schema.table(of: step.destination).map { Place(alias: nextAlias(), table: $0, entity: step.destination) }
    }

    /// Joins with what a path's steps lead to, with nulls where that is nowhere.
    mutating func join(_ path: PropertyPath, to sql: inout SQLText) -> Place? {
        guard var place = places[path.variable] else { return nil }
        for step in path.steps {
            guard let next = destination(step) else { return nil }
            sql.add(" LEFT JOIN ")
            next.add(to: &sql)
            sql.add(" ON ")
            QueryScope.relate(next.alias, EntityTable.id, place.alias, place.column(step.slot).name, in: &sql)
            place = next
        }
        return place
    }

    /// `t1."_id" = t0."boss_id"`.
    static func relate(_ alias: Int, _ column: String, _ otherAlias: Int, _ otherColumn: String, in sql: inout SQLText) {
        sql.add(column: column, of: alias)
        sql.add(" = ")
        sql.add(column: otherColumn, of: otherAlias)
    }

    // MARK: - Collections

    /// Follows a collection's steps, the elements of which its variable stands for from then on.
    ///
    /// - Returns: `nil` where the store lacks a table on the way.
    mutating func follow(_ collection: ResolvedCollection, from variable: Int, _ elements: Elements) -> Elements? {
        guard var place = places[variable] else { return nil }
        var elements = elements
        for step in collection.steps {
            guard let next = enter(step, from: place, &elements) else { return nil }
            place = next
        }
        places[collection.variable] = place
        return elements.isEmpty ? nil : elements
    }

    private mutating func enter(_ step: ResolvedCollection.Step, from place: Place, _ elements: inout Elements) -> Place? {
        guard let table = schema.table(of: step.destination) else { return nil }
        func destination(_ alias: Int) -> Place { Place(alias: alias, table: table, entity: step.destination) }
        if let slot = step.slot {
            return destination(add(table.name, EntityTable.id, place.alias, place.column(slot).name, to: &elements))
        }
        switch step.relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let order) = step.destination.properties[property].relationship?.storage else { return nil }
            let column = table.column(slot, of: step.destination.index).name
            let found = destination(add(table.name, column, place.alias, EntityTable.id, to: &elements))
            if let order { elements.addOrder(by: table.column(order, of: step.destination.index).name, of: found.alias) }
            elements.addOrder(by: EntityTable.id, of: found.alias)
            return found
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return nil }
            let links = add(join.name, join.column(side), place.alias, EntityTable.id, to: &elements)
            let found = destination(add(table.name, EntityTable.id, links, join.column(side.opposite), to: &elements))
            if step.relationship.isOrdered, let order = join.order(side) { elements.addOrder(by: order, of: links) }
            elements.addOrder(by: EntityTable.id, of: found.alias)
            return found
        case .toOne, .none: return nil
        }
    }

    private mutating func add(
        _ table: QualifiedName, _ column: String, _ otherAlias: Int, _ otherColumn: String, to elements: inout Elements
    ) -> Int {
        let alias = nextAlias()
        elements.source.add(elements.isEmpty ? " FROM " : " JOIN ")
        elements.source.add(table)
        elements.source.add(" t")
        elements.source.add(number: alias)
        if elements.isEmpty {
            var relation = SQLText()
            QueryScope.relate(alias, column, otherAlias, otherColumn, in: &relation)
            elements.conditions.append(relation)
        } else {
            elements.source.add(" ON ")
            QueryScope.relate(alias, column, otherAlias, otherColumn, in: &elements.source)
        }
        elements.isEmpty = false
        return alias
    }
}

extension QueryScope.Place {
    /// Adds the table with its alias: `"s"."person" t1`.
    func add(to sql: inout SQLText) {
        sql.add(table.name)
        sql.add(" t")
        sql.add(number: alias)
    }
}

extension QueryScope.Elements {
    fileprivate mutating func addOrder(by column: String, of alias: Int) {
        var sql = SQLText()
        sql.add(column: column, of: alias)
        order.append(sql)
    }

    /// Adds the tables and conditions: ` FROM "s"."person" t1 WHERE t1."boss_id" = t0."_id" AND …`.
    func add(to sql: inout SQLText) {
        sql.add(source)
        sql.add(" WHERE ")
        sql.add(conditions, separator: " AND ") { $0.add($1) }
    }
}
