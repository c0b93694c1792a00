import StrataSQL

struct LinkWriter {
    unowned let transaction: SQLiteTransaction

    func apply(_ changes: [LinkChange]) throws {
        var statements: [LinkStatement: Statement] = [:]
        for change in changes {
            let joins = transaction.store.schema.joins
            guard joins.indices.contains(change.table), let join = joins[change.table] else {
                throw StoreError(
                    .unsupported, .save, "the store has no table for the links of a relationship", path: transaction.store.path)
            }
            if change.kind == .order && join.orderColumns.isEmpty { continue }
            let key = LinkStatement(table: change.table, kind: change.kind)
            let statement = try statements[key] ?? transaction.connection.statement(LinkWriter.sql(change.kind, join).text)
            statements[key] = statement
            statement.bind(change.link.first, at: 1)
            statement.bind(change.link.second, at: 2)
            if change.kind != .remove {
                LinkWriter.bind(change.link.orderInFirst, to: statement, at: 3)
                LinkWriter.bind(change.link.orderInSecond, to: statement, at: 4)
            }
            try statement.run(.save)
        }
    }

    private struct LinkStatement: Hashable {
        let table: Int
        let kind: LinkChange.Kind
    }

    private static func bind(_ order: OrderKey?, to statement: Statement, at index: Int) {
        if let order { statement.bind(order.rawValue, at: index) } else { statement.bindNull(at: index) }
    }

    /// Returns the statement that adds a link; an existing one keeps the order keys that the change lacks.
    ///
    /// ```sql
    /// INSERT INTO Z_1PROJECTS (Z_1MEMBERS, Z_3PROJECTS, Z_FOK_1MEMBERS) VALUES (?1, ?2, ?4)
    /// ON CONFLICT (Z_1MEMBERS, Z_3PROJECTS) DO UPDATE SET Z_FOK_1MEMBERS = IFNULL(?4, Z_FOK_1MEMBERS)
    ///
    /// UPDATE Z_1PROJECTS SET Z_FOK_1MEMBERS = IFNULL(?4, Z_FOK_1MEMBERS) WHERE Z_1MEMBERS = ?1 AND Z_3PROJECTS = ?2
    /// DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1 AND Z_3PROJECTS = ?2
    /// ```
    private static func sql(_ kind: LinkChange.Kind, _ join: JoinTable) -> SQLText {
        let ends: SQLText = " WHERE \(identifier: join.first) = ?1 AND \(identifier: join.second) = ?2"
        switch kind {
        case .put:
            let values = ["?1", "?2"] + join.orderColumns.map { order($0.side) }
            let columns = [join.first, join.second] + join.orderColumns.map(\.column)
            let rows: SQLText = "(\(identifiers: columns)) VALUES (\(values))"
            return "INSERT INTO \(table: join.name) \(rows)\(join.conflictClause(orders(join)))"
        case .order: return "UPDATE \(table: join.name) SET \(orders(join))\(ends)"
        case .remove: return "DELETE FROM \(table: join.name)\(ends)"
        }
    }

    /// Returns the parameter of the order key among the destinations on a side.
    private static func order(_ side: LinkSide) -> SQLText { side == .first ? "?3" : "?4" }

    /// Sets the order keys that are not null.
    private static func orders(_ join: JoinTable) -> [SQLText] {
        join.orderColumns.map { column, side in "\(identifier: column) = IFNULL(\(order(side)), \(identifier: column))" }
    }
}
