import StrataModel
import StrataQuery

/// The tables of a query: that of the fetched entity, `t0`, and those that its paths lead through.
struct JoinSet {
    /// A table that a to-one relationship leads to.
    private struct Join: Equatable {
        let table: String
        let from: Int
        let column: String
    }

    /// What a path ends at.
    struct Leaf {
        let alias: Int
        let name: String
        /// The column; `nil` for the key of the object itself.
        let column: Column?
        let kind: SlotKind

        func add(to sql: inout SQLText) { sql.add(column: name, of: alias) }
    }

    private var joins: [Join] = []
    private let schema: StoreSchema

    init(_ schema: StoreSchema) { self.schema = schema }

    /// Whether there is only one table.
    var isEmpty: Bool { joins.isEmpty }

    /// The column at the end of a path, with the tables on the way added.
    ///
    /// - Returns: `nil` where the store lacks a table or column on the way.
    mutating func leaf(_ path: PropertyPath) -> Leaf? {
        var entity = path.entity
        var alias = 0
        for step in path.steps {
            guard let column = column(step.slot, of: entity), let table = schema.table(of: step.destination) else { return nil }
            let join = Join(table: table.name, from: alias, column: column.name)
            if let known = joins.firstIndex(of: join) {
                alias = known + 1
            } else {
                joins.append(join)
                alias = joins.count
            }
            entity = step.destination
        }
        guard let slot = path.leafSlot else { return Leaf(alias: alias, name: "Z_PK", column: nil, kind: .reference) }
        guard let column = column(slot, of: entity) else { return nil }
        return Leaf(alias: alias, name: column.name, column: column, kind: path.leafKind)
    }

    private func column(_ slot: Int, of entity: EntityDescription) -> Column? {
        guard let column = schema.table(of: entity)?.column(slot, of: entity.index), column.isPresent else { return nil }
        return column
    }

    /// Adds the joins to a query; what leads nowhere joins with nulls.
    func add(to sql: inout SQLText) {
        for (index, join) in joins.enumerated() {
            sql.add(" LEFT JOIN ")
            sql.add(identifier: join.table)
            sql.add(" ")
            sql.add(alias: index + 1)
            sql.add(" ON ")
            sql.add(column: "Z_PK", of: index + 1)
            sql.add(" = ")
            sql.add(column: join.column, of: join.from)
        }
    }
}
