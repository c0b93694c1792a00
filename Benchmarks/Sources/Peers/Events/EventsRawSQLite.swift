import StrataWorkload

/// Events through SQLite's C API into Swift structs: the denominator of the SQLite table.
final class EventsRawSQLite: EventParticipant {
    static let name = "raw SQLite"
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let steps: [EventStep] = [.insert, .fetchAll, .ranges, .byID, .count, .grouping, .update, .delete, .singles, .verify]

    var kept: Any?
    private let path: String
    private var connection: SQLiteDatabase?

    init(directory: String) { path = directory + "/events.sqlite" }

    static let schema = [
        """
        CREATE TABLE event (id INTEGER PRIMARY KEY, time REAL NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL,
            address TEXT NOT NULL, rank INTEGER NOT NULL, bucket INTEGER NOT NULL)
        """,
        "CREATE INDEX event_by_rank ON event (rank)",
    ]

    static let columns = "id, time, title, detail, address, rank, bucket"

    func open() throws { connection = try SQLiteDatabase(path: path) }

    func close() throws {
        try connection?.close()
        connection = nil
    }

    private var database: SQLiteDatabase {
        get throws {
            try connection.opened(by: "SQLite")
        }
    }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        let database = try database
        for sql in Self.schema { try database.execute(sql) }
        return try Self.insert(events, into: database)
    }

    /// Inserts events in one transaction.
    static func insert(_ events: [Event], into database: SQLiteDatabase) throws -> Answer {
        let insert = try database.statement("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)")
        try database.transaction {
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
        }
        return Answer(count: events.count)
    }

    func insertSingly(_ events: [Event]) throws -> Answer {
        let database = try database
        for event in events { _ = try Self.insert([event], into: database) }
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        let find = try database.statement("SELECT \(Self.columns) FROM event")
        var events: [Event] = []
        var answer = Answer()
        while try find.step() { events.append(Self.event(find)) }
        for event in events { answer.add(event) }
        kept = events
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        let find = try database.statement("SELECT \(Self.columns) FROM event WHERE rank BETWEEN ? AND ?")
        var answer = Answer()
        try database.reading {
            for range in ranges {
                find.bind(1, range.lowerBound)
                find.bind(2, range.upperBound)
                var events: [Event] = []
                while try find.step() { events.append(Self.event(find)) }
                for event in events { answer.add(event) }
            }
        }
        return answer
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        let find = try database.statement("SELECT \(Self.columns) FROM event WHERE id = ?")
        var answer = Answer()
        try database.reading {
            for id in ids {
                find.bind(1, id)
                while try find.step() { answer.add(Self.event(find)) }
            }
        }
        return answer
    }

    func count() throws -> Answer {
        let count = try database.statement("SELECT COUNT(*) FROM event")
        var answer = Answer()
        while try count.step() { answer.count = Int(count.integer(0)) }
        return answer
    }

    func grouping() throws -> Answer { try Self.grouping(try database) }

    /// The buckets' counts and sums.
    static func grouping(_ database: SQLiteDatabase) throws -> Answer {
        let find = try database.statement("SELECT bucket, COUNT(*), SUM(rank) FROM event GROUP BY bucket")
        var answer = Answer()
        while try find.step() { answer.add(bucket: find.integer(0), events: find.integer(1), ranks: find.integer(2)) }
        return answer
    }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        let update = try database.statement("UPDATE event SET time = time + ? WHERE id = ?")
        return try change(ids) { id in
            update.bind(1, delay)
            update.bind(2, id)
            try update.run()
        }
    }

    func delete(_ ids: [Int64]) throws -> Answer {
        let delete = try database.statement("DELETE FROM event WHERE id = ?")
        return try change(ids) { id in
            delete.bind(1, id)
            try delete.run()
        }
    }

    private func change(_ ids: [Int64], _ body: (Int64) throws -> Void) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.transaction {
            for id in ids.sorted() {
                try body(id)
                answer.count += database.changes
            }
        }
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
