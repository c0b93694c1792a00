import StrataWorkload

/// Queries through SQLite's C API with cached statements.
final class QueriesRawSQLite: QueryParticipant {
    static let name = "raw SQLite"
    static let kind = ParticipantKind.raw
    static let reference = "raw SQLite"

    private let database: SQLiteDatabase

    init(directory: String) throws {
        database = try SQLiteDatabase(path: directory + "/queries.sqlite")
        for sql in EventTableSQL.schema + ["CREATE UNIQUE INDEX event_title ON event (title)"] { try database.execute(sql) }
    }

    func close() throws { try database.close() }

    func perform(_ step: QueryStep, _ work: QueryWork) throws -> Answer? {
        switch step {
        case .parse: nil
        case .batchInsert: try EventTableSQL.insert(work.events, into: database)
        case .byID: try lookUp("id = ?", work.ids) { $0.bind(1, $1) }
        case .byKey: try lookUp("title = ?", work.titles) { $0.bind(1, $1) }
        case .group: try EventTableSQL.grouping(database)
        case .search: try search(work.text)
        case .batchUpdate: try change("UPDATE event SET time = time + 60 WHERE bucket < 20")
        case .batchDelete: try change("DELETE FROM event WHERE bucket >= 80")
        }
    }

    private func lookUp<Key>(_ condition: String, _ keys: [Key], _ bind: (SQLiteStatement, Key) -> Void) throws -> Answer {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event WHERE \(condition)")
        var answer = Answer()
        for key in keys {
            bind(find, key)
            while try find.step() { answer.add(EventTableSQL.event(find)) }
        }
        return answer
    }

    private func search(_ text: String) throws -> Answer {
        let find = try database.statement("SELECT COUNT(*) FROM event WHERE detail LIKE ?")
        find.bind(1, "%\(text)%")
        var answer = Answer()
        while try find.step() { answer.count = Int(find.integer(0)) }
        return answer
    }

    private func change(_ sql: String) throws -> Answer {
        let statement = try database.statement(sql)
        return try database.transaction {
            try statement.run()
            return Answer(count: database.changes)
        }
    }
}
