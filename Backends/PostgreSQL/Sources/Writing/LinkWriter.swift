import StrataModel
import StrataStore

/// Makes and removes links, as many at once as may go in any order.
struct LinkWriter {
    let transaction: PostgreSQLTransaction

    private struct Ends: Hashable {
        let first: Int64
        let second: Int64
    }

    func apply(_ changes: [LinkChange]) throws {
        var start = 0
        var met: Set<Ends> = []
        for (place, change) in changes.enumerated() {
            let ends = Ends(first: change.link.first, second: change.link.second)
            let goesOn = changes[start].table == change.table && changes[start].kind == change.kind
            if goesOn && met.insert(ends).inserted { continue }
            try apply(changes[start..<place])
            (start, met) = (place, [ends])
        }
        try apply(changes[start...])
    }

    private func apply(_ changes: ArraySlice<LinkChange>) throws {
        guard let change = changes.first else { return }
        let joins = transaction.schema.joins
        guard joins.indices.contains(change.table), let join = joins[change.table] else {
            throw StoreError(.unsupported, .save, "the store has no table for the links of a relationship")
        }
        let links = changes.map(\.link)
        transaction.log.note(linksOf: join)
        switch change.kind {
        case .put: try transaction.connection.leaveWaiting(put(join, links), .save)
        case .order:
            if join.columns.count > 2 { try transaction.connection.leaveWaiting(ordering(join, links), .save) }
        case .remove: try transaction.connection.leaveWaiting(removal(join, links), .save)
        }
    }

    private func arrays(_ join: JoinTable, _ links: [Link], withOrders: Bool = true) -> [SQLParameter] {
        func orders(_ order: (Link) -> OrderKey?) -> SQLParameter {
            var values = ArrayValues(.bigint)
            for link in links {
                values.append { if let key = order(link) { $0.put(field: key.rawValue) } else { $0.putNull() } }
            }
            return values.parameter
        }
        var arrays = [ArrayValues(links.map(\.first)).parameter, ArrayValues(links.map(\.second)).parameter]
        if withOrders, join.orderInFirst != nil { arrays.append(orders(\.orderInFirst)) }
        if withOrders, join.orderInSecond != nil { arrays.append(orders(\.orderInSecond)) }
        return arrays
    }

    /// A link that is there keeps its place where the change names none.
    ///
    /// ```sql
    /// INSERT INTO "s"."person_friends" AS t0 ("person_id", "person_id_2", "order_in_person") SELECT * FROM unnest($1, $2, $3)
    /// ON CONFLICT ("person_id", "person_id_2") DO UPDATE SET "order_in_person" = COALESCE(EXCLUDED."order_in_person", t0."order_in_person")
    /// ```
    private func put(_ join: JoinTable, _ links: [Link]) -> SQLText {
        var sql = SQLText("INSERT INTO ")
        sql.add(join.name)
        sql.add(" AS t0 (")
        sql.add(join.columns, separator: ", ") { $0.add(identifier: $1) }
        sql.add(") SELECT * FROM unnest(")
        sql.add(arrays(join, links), separator: ", ") { $0.bind($1) }
        sql.add(") ON CONFLICT (")
        sql.add([join.first, join.second], separator: ", ") { $0.add(identifier: $1) }
        sql.add(") DO ")
        if join.columns.count == 2 {
            sql.add("NOTHING")
            return sql
        }
        sql.add("UPDATE SET ")
        sql.add(join.columns.dropFirst(2), separator: ", ") {
            $0.add(identifier: $1)
            $0.add(" = COALESCE(EXCLUDED.")
            $0.add(identifier: $1)
            $0.add(", ")
            $0.add(column: $1)
            $0.add(")")
        }
        return sql
    }

    /// ```sql
    /// UPDATE "s"."person_friends" t0 SET "order_in_person" = COALESCE(t1.c2, t0."order_in_person")
    /// FROM unnest($1, $2, $3) t1 (c0, c1, c2) WHERE t0."person_id" = t1.c0 AND t0."person_id_2" = t1.c1
    /// ```
    private func ordering(_ join: JoinTable, _ links: [Link]) -> SQLText {
        var sql = SQLText("UPDATE ")
        sql.add(join.name)
        sql.add(" t0 SET ")
        sql.add(join.columns.enumerated().dropFirst(2), separator: ", ") {
            $0.add(identifier: $1.element)
            $0.add(" = COALESCE(t1.c")
            $0.add(number: $1.offset)
            $0.add(", ")
            $0.add(column: $1.element)
            $0.add(")")
        }
        sql.add(" FROM ")
        addSource(arrays(join, links), to: &sql)
        addEnds(join, to: &sql)
        return sql
    }

    private func removal(_ join: JoinTable, _ links: [Link]) -> SQLText {
        var sql = SQLText("DELETE FROM ")
        sql.add(join.name)
        sql.add(" t0 USING ")
        addSource(arrays(join, links, withOrders: false), to: &sql)
        addEnds(join, to: &sql)
        return sql
    }

    private func addSource(_ arrays: [SQLParameter], to sql: inout SQLText) {
        sql.add("unnest(")
        sql.add(arrays, separator: ", ") { $0.bind($1) }
        sql.add(") t1 (")
        sql.add(arrays.indices, separator: ", ") {
            $0.add("c")
            $0.add(number: $1)
        }
        sql.add(")")
    }

    private func addEnds(_ join: JoinTable, to sql: inout SQLText) {
        sql.add(" WHERE ")
        sql.add(column: join.first)
        sql.add(" = t1.c0 AND ")
        sql.add(column: join.second)
        sql.add(" = t1.c1")
    }
}
