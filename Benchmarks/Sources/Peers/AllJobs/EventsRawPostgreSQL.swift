import StrataWorkload

/// Events through libpq into Swift structs, in transactions of the server's own choice: the denominator of the PostgreSQL table.
typealias EventsRawPostgreSQL = EventsLibpq<DefaultIsolation>

/// What a statement costs where nothing that runs beside it may matter, as in a save.
typealias EventsSerializable = EventsLibpq<Serializable>

/// How far transactions are kept from each other.
protocol Isolation: SendableMetatype {
    static var participant: String { get }
    static var schema: String { get }
    static var steps: [EventStep] { get }
    /// What a session begins with.
    static var setting: String? { get }
}

enum DefaultIsolation: Isolation {
    static let participant = RawPostgreSQL.name
    static let schema = "raw_events"
    static let steps: [EventStep] = [
        .insert, .fetchAll, .ranges, .byID, .count, .grouping, .update, .delete, .singles, .verify, .batchUpdate,
        .batchDelete, .fourWriters, .sixteenWriters,
    ]
    static let setting: String? = nil
}

enum Serializable: Isolation {
    static let participant = ServerParticipant.serializable
    static let schema = "raw_serializable"
    static let steps: [EventStep] = [
        .insert, .update, .delete, .singles, .verify, .batchUpdate, .batchDelete, .fourWriters, .sixteenWriters,
    ]
    static let setting: String? = "SET default_transaction_isolation = serializable"
}

/// Events through libpq into Swift structs.
final class EventsLibpq<Level: Isolation>: EventParticipant {
    static var name: String { Level.participant }
    static var kind: ParticipantKind { .raw }
    static var grouping: ProcessGrouping { .perStep }
    static var steps: [EventStep] { Level.steps }

    var kept: Any?
    private let schema: String
    private var connection: PostgreSQLDatabase?

    init(directory: String) throws { schema = try BenchSchema.prepared(Level.schema, directory) }

    func open() throws { connection = try Self.connect(schema) }

    private static func connect(_ schema: String) throws -> PostgreSQLDatabase {
        let database = try PostgreSQLDatabase(schema: schema)
        if let setting = Level.setting { try database.execute(setting) }
        return database
    }

    func close() { connection = nil }

    private var database: PostgreSQLDatabase {
        get throws {
            try connection.opened(by: "libpq")
        }
    }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        let database = try database
        try database.transaction {
            try database.execute("CREATE SCHEMA \"\(schema)\"")
            for sql in EventTableSQL.schema { try database.execute(ArchiveSchema.postgreSQL(sql)) }
            try database.copy(into: "event", events) { $1.add($0) }
        }
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        let rows = try database.run("SELECT \(EventTableSQL.columns) FROM event")
        let events = rows.indices.map { Self.event(rows, $0) }
        var answer = Answer()
        for event in events { answer.add(event) }
        kept = events
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for range in ranges {
                let rows = try database.run(
                    "SELECT \(EventTableSQL.columns) FROM event WHERE rank BETWEEN ? AND ?", BinaryRow(range.lowerBound, range.upperBound)
                )
                let events = rows.indices.map { Self.event(rows, $0) }
                for event in events { answer.add(event) }
            }
        }
        return answer
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        let database = try database
        var answer = Answer()
        try database.reading {
            for id in ids {
                let rows = try database.run("SELECT \(EventTableSQL.columns) FROM event WHERE id = ?", BinaryRow(id))
                for row in rows.indices { answer.add(Self.event(rows, row)) }
            }
        }
        return answer
    }

    func count() throws -> Answer {
        let rows = try database.run("SELECT COUNT(*) FROM event")
        return Answer(count: Int(rows.integer(0, 0)))
    }

    func grouping() throws -> Answer {
        let rows = try database.run("SELECT bucket, COUNT(*), SUM(rank)::bigint FROM event GROUP BY bucket")
        var answer = Answer()
        for row in rows.indices { answer.add(bucket: rows.integer(row, 0), events: rows.integer(row, 1), ranks: rows.integer(row, 2)) }
        return answer
    }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        var parameters = BinaryRow()
        parameters.add(delay)
        parameters.add(ids)
        return Answer(count: try database.run("UPDATE event SET time = time + ? WHERE id = ANY(?::bigint[])", parameters).changes)
    }

    func delete(_ ids: [Int64]) throws -> Answer {
        var parameters = BinaryRow()
        parameters.add(ids)
        return Answer(count: try database.run("DELETE FROM event WHERE id = ANY(?::bigint[])", parameters).changes)
    }

    func batchUpdate(_ ids: [Int64], delay: Double) throws -> Answer { try update(ids, delay: delay) }

    func batchDelete(_ ids: [Int64]) throws -> Answer { try delete(ids) }

    func insertSingly(_ events: [Event]) throws -> Answer { try Self.insertSingly(events, database) }

    private static func insertSingly(_ events: some Sequence<Event>, _ database: PostgreSQLDatabase) throws -> Answer {
        var answer = Answer()
        for event in events {
            var parameters = BinaryRow()
            parameters.add(event)
            answer.count += try database.run("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", parameters).changes
        }
        return answer
    }

    func insert(_ events: [Event], writers: Int) throws -> Answer {
        let schema = schema
        try Writers.run(events, writers) { events in
            _ = try Self.insertSingly(events, try Self.connect(schema))
        }
        return Answer(count: events.count)
    }

    private static func event(_ rows: PostgreSQLRows, _ row: Int32) -> Event {
        Event(
            id: rows.integer(row, 0),
            time: rows.double(row, 1),
            title: rows.text(row, 2),
            detail: rows.text(row, 3),
            address: rows.text(row, 4),
            rank: rows.integer(row, 5),
            bucket: rows.integer(row, 6)
        )
    }
}

extension BinaryRow {
    fileprivate mutating func add(_ event: Event) {
        add(event.id)
        add(event.time)
        add(event.title)
        add(event.detail)
        add(event.address)
        add(event.rank)
        add(event.bucket)
    }
}
