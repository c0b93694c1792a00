import StrataWorkload

/// The table of events that SQLite's participants share, and the statements that several of them run.
enum EventTableSQL {
    static let schema = [
        """
        CREATE TABLE event (id INTEGER PRIMARY KEY, time REAL NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL,
            address TEXT NOT NULL, rank INTEGER NOT NULL, bucket INTEGER NOT NULL)
        """,
        index,
    ]

    private static let index = "CREATE INDEX event_by_rank ON event (rank)"

    static let columns = "id, time, title, detail, address, rank, bucket"

    /// Inserts events in one transaction.
    ///
    /// - Parameter isIndexDeferred: Whether the index is dropped before the first, and created again after the last.
    static func insert(_ events: [Event], into database: SQLiteDatabase, isIndexDeferred: Bool = false) throws -> Answer {
        try database.transaction {
            if isIndexDeferred { try database.execute("DROP INDEX event_by_rank") }
            let insert = try database.statement("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)")
            for event in events {
                insert.bind(1, event.id)
                insert.bind(2, event.time)
                insert.bind(3, event.title)
                insert.bind(4, event.detail)
                insert.bind(5, event.address)
                insert.bind(6, event.rank)
                insert.bind(7, event.bucket)
                try insert.run()
            }
            if isIndexDeferred { try database.execute(index) }
        }
        return Answer(count: events.count)
    }

    /// The buckets' counts and sums.
    static func grouping(_ database: SQLiteDatabase) throws -> Answer {
        let find = try database.statement("SELECT bucket, COUNT(*), SUM(rank) FROM event GROUP BY bucket")
        var answer = Answer()
        while try find.step() { answer.add(bucket: find.integer(0), events: find.integer(1), ranks: find.integer(2)) }
        return answer
    }

    static func event(_ row: SQLiteStatement) -> Event {
        Event(
            id: row.integer(0),
            time: row.double(1),
            title: row.text(2),
            detail: row.text(3),
            address: row.text(4),
            rank: row.integer(5),
            bucket: row.integer(6)
        )
    }
}
