import StrataModel
import StrataSQL
import StrataStore

/// Makes and removes links.
struct LinkWriter {
    private unowned let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) { self.transaction = transaction }

    mutating func apply(_ changes: [LinkChange]) throws {
        var puts: [Int: Statement] = [:]
        var removals: [Int: Statement] = [:]
        var orders: [Int: Statement] = [:]
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
                try LinkWriter.run(statement, change.link)
            case .order:
                if join.orders.isEmpty { continue }
                let statement = try orders[change.table] ?? ordering(join)
                orders[change.table] = statement
                try LinkWriter.run(statement, change.link)
            case .remove:
                let statement = try removals[change.table] ?? removal(join)
                removals[change.table] = statement
                statement.bind(change.link.first, at: 1)
                statement.bind(change.link.second, at: 2)
                try statement.run(.save)
            }
        }
    }

    /// Runs a statement with the ends of a link and its order keys.
    private static func run(_ statement: Statement, _ link: Link) throws {
        statement.bind(link.first, at: 1)
        statement.bind(link.second, at: 2)
        bind(link.orderInFirst, to: statement, at: 3)
        bind(link.orderInSecond, to: statement, at: 4)
        try statement.run(.save)
    }

    private static func bind(_ order: OrderKey?, to statement: Statement, at index: Int) {
        if let order { statement.bind(order.rawValue, at: index) } else { statement.bindNull(at: index) }
    }

    /// An existing link keeps its order keys where the change has none.
    ///
    /// ```sql
    /// INSERT INTO Z_1PROJECTS (Z_1MEMBERS, Z_3PROJECTS, Z_FOK_1MEMBERS) VALUES (?1, ?2, ?4)
    /// ON CONFLICT (Z_1MEMBERS, Z_3PROJECTS) DO UPDATE SET Z_FOK_1MEMBERS = IFNULL(?4, Z_FOK_1MEMBERS)
    /// ```
    private func put(_ join: JoinTable) throws -> Statement {
        let orders = join.orders
        var sql = SQLText("INSERT INTO \(identifier: join.name) (")
        sql.add("\(identifiers: [join.first, join.second] + orders.map(\.column))) VALUES (?1, ?2")
        for order in orders { sql.add(order.isFirst ? ", ?3" : ", ?4") }
        sql.add(") ON CONFLICT (\(identifiers: [join.first, join.second])) DO ")
        if orders.isEmpty { sql.add("NOTHING") } else { sql.add("UPDATE SET ") }
        LinkWriter.addOrders(join, to: &sql)
        return try transaction.connection.statement(sql.text)
    }

    /// `UPDATE Z_1PROJECTS SET Z_FOK_1MEMBERS = IFNULL(?4, Z_FOK_1MEMBERS) WHERE Z_1MEMBERS = ?1 AND Z_3PROJECTS = ?2`.
    private func ordering(_ join: JoinTable) throws -> Statement {
        var sql = SQLText("UPDATE \(identifier: join.name) SET ")
        LinkWriter.addOrders(join, to: &sql)
        LinkWriter.addEnds(join, to: &sql)
        return try transaction.connection.statement(sql.text)
    }

    /// `DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1 AND Z_3PROJECTS = ?2`.
    private func removal(_ join: JoinTable) throws -> Statement {
        var sql = SQLText("DELETE FROM \(identifier: join.name)")
        LinkWriter.addEnds(join, to: &sql)
        return try transaction.connection.statement(sql.text)
    }

    /// Sets the order keys that are not null.
    private static func addOrders(_ join: JoinTable, to sql: inout SQLText) {
        sql.add(join.orders, separator: ", ") { sql, order in
            sql.add("\(identifier: order.column)\(order.isFirst ? " = IFNULL(?3, " : " = IFNULL(?4, ")")
            sql.add("\(identifier: order.column))")
        }
    }

    private static func addEnds(_ join: JoinTable, to sql: inout SQLText) {
        sql.add(" WHERE \(identifier: join.first) = ?1 AND \(identifier: join.second) = ?2")
    }
}

extension JoinTable {
    /// The columns of the order keys of a link.
    fileprivate var orders: [(column: String, isFirst: Bool)] {
        [orderInFirst.map { ($0, true) }, orderInSecond.map { ($0, false) }].compactMap(\.self)
    }
}
