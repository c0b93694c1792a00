import StrataModel
import StrataStore

/// Makes and removes links.
struct LinkWriter {
    private unowned let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) { self.transaction = transaction }

    mutating func apply(_ changes: [LinkChange]) throws {
        var puts: [Int: Statement] = [:]
        var removals: [Int: Statement] = [:]
        for change in changes {
            let joins = transaction.store.schema.joins
            guard joins.indices.contains(change.table), let join = joins[change.table] else {
                throw StoreError(
                    .unsupported, .save, "the store has no table for the links of a relationship", path: transaction.store.path)
            }
            switch change.kind {
            case .put:
                let statement = try puts[change.table] ?? put(join)
                puts[change.table] = statement
                statement.bind(change.link.first, at: 1)
                statement.bind(change.link.second, at: 2)
                LinkWriter.bind(change.link.orderInFirst, to: statement, at: 3)
                LinkWriter.bind(change.link.orderInSecond, to: statement, at: 4)
                try statement.run(.save)
            case .remove:
                let statement = try removals[change.table] ?? removal(join)
                removals[change.table] = statement
                statement.bind(change.link.first, at: 1)
                statement.bind(change.link.second, at: 2)
                try statement.run(.save)
            }
        }
    }

    private static func bind(_ order: OrderKey?, to statement: Statement, at index: Int) {
        if let order { statement.bind(order.rawValue, at: index) } else { statement.bindNull(at: index) }
    }

    /// A link that is there keeps its place where the change names none.
    ///
    /// ```sql
    /// INSERT INTO Z_1PROJECTS (Z_1MEMBERS, Z_3PROJECTS, Z_FOK_1MEMBERS) VALUES (?1, ?2, ?4)
    /// ON CONFLICT (Z_1MEMBERS, Z_3PROJECTS) DO UPDATE SET Z_FOK_1MEMBERS = IFNULL(?4, Z_FOK_1MEMBERS)
    /// ```
    private func put(_ join: JoinTable) throws -> Statement {
        let orders: [(column: String, isFirst: Bool)] =
            [join.orderInFirst.map { ($0, true) }, join.orderInSecond.map { ($0, false) }].compactMap(\.self)
        var sql = SQLText("INSERT INTO ")
        sql.add(identifier: join.name)
        sql.add(" (")
        sql.add([join.first, join.second] + orders.map(\.column), separator: ", ") { $0.add(identifier: $1) }
        sql.add(") VALUES (?1, ?2")
        for order in orders { sql.add(order.isFirst ? ", ?3" : ", ?4") }
        sql.add(") ON CONFLICT (")
        sql.add([join.first, join.second], separator: ", ") { $0.add(identifier: $1) }
        sql.add(") DO ")
        if orders.isEmpty { sql.add("NOTHING") } else { sql.add("UPDATE SET ") }
        sql.add(orders, separator: ", ") { sql, order in
            sql.add(identifier: order.column)
            sql.add(order.isFirst ? " = IFNULL(?3, " : " = IFNULL(?4, ")
            sql.add(identifier: order.column)
            sql.add(")")
        }
        return try transaction.connection.statement(sql.text)
    }

    /// `DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1 AND Z_3PROJECTS = ?2`.
    private func removal(_ join: JoinTable) throws -> Statement {
        var sql = SQLText("DELETE FROM ")
        sql.add(identifier: join.name)
        sql.add(" WHERE ")
        sql.add(identifier: join.first)
        sql.add(" = ?1 AND ")
        sql.add(identifier: join.second)
        sql.add(" = ?2")
        return try transaction.connection.statement(sql.text)
    }
}
