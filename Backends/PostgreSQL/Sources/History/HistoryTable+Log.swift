import StrataSQL

// A transaction that is in the history is not in the log, for which its record serves.
extension HistoryTable {
    /// The expression whether there is a table that the role may read.
    var isReadable: SQLText {
        """
        COALESCE(pg_catalog.has_table_privilege(pg_catalog.to_regclass(\(relation: name))::oid, 'SELECT'), false)
        """
    }

    /// Returns the query whether the history has a save that was committed, among the latest ones.
    func isCommitted(_ save: Int, of writer: String) -> SQLText {
        """
        SELECT count(*) FROM (SELECT writer, save FROM \(name) ORDER BY number DESC LIMIT \(number: ChangeTable.mostRows)) h \
        WHERE writer = \(bind: .text(writer))::uuid AND save = \(bind: .bigint(Int64(save)))
        """
    }

    /// Returns the query whether other writers committed since a snapshot.
    func news(since position: LogPosition, of writer: String) -> SQLText {
        "SELECT EXISTS (SELECT FROM \(name)\(since(position)) AND writer <> \(bind: .text(writer))::uuid)"
    }

    /// Adds the changes that are visible now and were not in a snapshot.
    ///
    /// - Returns: Whether the history has all of them.
    func addChanges(
        since position: LogPosition, to changes: inout LoggedChanges, _ schema: StoreSchema, _ scope: ReadScope, _ model: ManagedObjectModel
    ) throws -> Bool {
        guard try scope.execute("SELECT \(isReadable)", .refresh).number(0, 0, as: UInt8.self) == 1 else { return true }
        let links: SQLText = "SELECT DISTINCT pg_catalog.unnest(links) FROM \(name)\(since(position))"
        let answers = try scope.execute(["SELECT body FROM \(name)\(since(position))", links], .refresh)
        let (bodies, tables) = (try answers.result(0, .refresh), try answers.result(1, .refresh))
        for row in 0..<bodies.count {
            // The mark of deleted records has none.
            guard let bytes = unsafe bodies.bytes(row, 0), let body = try? HistoryBody(unsafe Array(bytes), path: nil) else { return false }
            changes.add(rowsOf: body, of: model)
        }
        let names = Set((0..<tables.count).compactMap { tables.text($0, 0) })
        for (index, join) in schema.joins.enumerated() where join.map({ names.contains($0.name.name) }) == true {
            changes.add(linkTable: index)
        }
        return true
    }

    /// ` WHERE number >= … AND transaction >= … AND transaction < … AND NOT pg_visible_in_snapshot(transaction, $1)`.
    private func since(_ position: LogPosition) -> SQLText {
        let snapshot: SQLText = "\(bind: .text(position.rawValue))::pg_catalog.pg_snapshot"
        // By the index of the numbers: all transactions of this server have them at the same distance from their IDs.
        return """
             WHERE number >= pg_catalog.pg_snapshot_xmin(\(snapshot))::text::bigint + COALESCE((SELECT number - transaction::text::bigint \
            FROM \(name) WHERE transaction IS NOT NULL ORDER BY number DESC LIMIT 1), 0) \
            AND transaction >= pg_catalog.pg_snapshot_xmin(\(snapshot)) \
            AND transaction < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) \
            AND NOT pg_catalog.pg_visible_in_snapshot(transaction, \(snapshot))
            """
    }
}
