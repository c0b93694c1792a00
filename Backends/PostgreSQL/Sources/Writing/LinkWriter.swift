import StrataSQL

/// Inserts and deletes links, consecutive changes of one kind in one statement.
struct LinkWriter {
    let transaction: PostgreSQLTransaction

    private struct Ends: Hashable {
        let first: Int64
        let second: Int64
    }

    func apply(_ changes: [LinkChange]) throws {
        var start = 0
        var seen: Set<Ends> = []
        for (index, change) in changes.enumerated() {
            let ends = Ends(first: change.link.first, second: change.link.second)
            let goesOn = changes[start].table == change.table && changes[start].kind == change.kind
            if goesOn && seen.insert(ends).inserted { continue }
            try apply(changes[start..<index])
            (start, seen) = (index, [ends])
        }
        try apply(changes[start...])
    }

    private func apply(_ changes: ArraySlice<LinkChange>) throws {
        guard let change = changes.first else { return }
        let joins = transaction.schema.joins
        guard joins.indices.contains(change.table), let join = joins[change.table] else {
            throw StoreError(.unsupported, .save, "the store has no table for the links of a relationship")
        }
        if change.kind == .order && join.columns.count == 2 { return }
        transaction.log.note(linksOf: join)
        let sql = statement(change.kind, join, changes.map(\.link))
        try transaction.connection.postpone(sql, .save, transaction.explaining(join.name, written(join)))
    }

    private func written(_ join: JoinTable) -> [WrittenColumn] { join.columns.map { WrittenColumn(name: $0, type: .bigint) } }

    /// ```sql
    /// WITH given (c0, c1, c2) AS (SELECT * FROM unnest($1, $2, $3)), done AS (INSERT … RETURNING true) SELECT CASE WHEN … END FROM done
    /// ```
    private func statement(_ kind: LinkChange.Kind, _ join: JoinTable, _ links: [Link]) -> SQLText {
        let arrays = arrays(join, links, withOrders: kind != .remove)
        let change =
            switch kind {
            case .put: put(join)
            case .order: ordering(join)
            case .remove: SQLText("DELETE FROM \(join.name) t0 USING given t1\(ends(join))")
            }
        return """
            WITH given (\(arrays.indices.map { "c\(number: $0)" })) AS (SELECT * FROM unnest(\(arrays.map { "\(bind: $0)" }))), \
            done AS (\(change) RETURNING true) \
            \(SQLText.check(of: expected(kind, join), ifWatched: join.name, .checkingTypes(written(join), of: join.name)))
            """
    }

    /// Returns the number of links that have to be written.
    private func expected(_ kind: LinkChange.Kind, _ join: JoinTable) -> SQLText {
        if kind == .put && join.columns.count > 2 { return "SELECT count(*) FROM given t1" }
        let condition: StaticString = kind == .put ? "NOT EXISTS" : "EXISTS"
        return "SELECT count(*) FROM given t1 WHERE \(condition) (SELECT FROM \(join.name) t0\(ends(join)))"
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

    /// Returns the statement that adds the given links; an existing one keeps the order keys that the change lacks.
    ///
    /// ```sql
    /// INSERT INTO "s"."person_friends" AS t0 ("person_id", "person_id_2", "order_in_person") SELECT * FROM given
    /// ON CONFLICT ("person_id", "person_id_2") DO UPDATE SET "order_in_person" = COALESCE(EXCLUDED."order_in_person", t0."order_in_person")
    /// ```
    private func put(_ join: JoinTable) -> SQLText {
        let orders = join.columns.dropFirst(2).map {
            SQLText("\(identifier: $0) = COALESCE(EXCLUDED.\(identifier: $0), \(column: $0))")
        }
        return "INSERT INTO \(join.name) AS t0 (\(identifiers: join.columns)) SELECT * FROM given\(join.conflictClause(orders))"
    }

    /// Returns the statement that sets the order keys of the given links.
    ///
    /// ```sql
    /// UPDATE "s"."person_friends" t0 SET "order_in_person" = COALESCE(t1.c2, t0."order_in_person")
    /// FROM given t1 WHERE t0."person_id" = t1.c0 AND t0."person_id_2" = t1.c1
    /// ```
    private func ordering(_ join: JoinTable) -> SQLText {
        let orders = join.columns.enumerated().dropFirst(2).map {
            SQLText("\(identifier: $1) = COALESCE(t1.c\(number: $0), \(column: $1))")
        }
        return "UPDATE \(join.name) t0 SET \(orders) FROM given t1\(ends(join))"
    }

    private func ends(_ join: JoinTable) -> SQLText {
        " WHERE \(column: join.first) = t1.c0 AND \(column: join.second) = t1.c1"
    }
}
