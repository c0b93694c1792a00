import StrataWorkload

/// Events through SQLite's C API into Swift structs: with the index present, the denominator of the SQLite table.
final class EventsRawSQLite<Order: IndexOrder>: EventParticipant {
    static var name: String { Order.name(of: "raw SQLite") }
    static var kind: ParticipantKind { .raw }
    static var grouping: ProcessGrouping { .perStep }
    static var steps: [EventStep] {
        if Order.isDeferred { return [.insert] }
        return [
            .insert, .fetchAll, .ranges, .byID, .count, .grouping, .readUpdate, .update, .readDelete, .delete, .singles, .verify,
        ]
    }

    var kept: Any?
    let path: String
    private var connection: SQLiteDatabase?

    convenience init(directory: String) { self.init(path: directory + "/events.sqlite") }

    init(path: String) { self.path = path }

    func open() throws { connection = try SQLiteDatabase(path: path) }

    func close() throws {
        try connection?.close()
        connection = nil
    }

    var database: SQLiteDatabase {
        get throws {
            try connection.opened(by: "SQLite")
        }
    }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        let database = try database
        for sql in EventTableSQL.schema { try database.execute(sql) }
        return try EventTableSQL.insert(events, into: database, isIndexDeferred: Order.isDeferred)
    }

    func insertSingly(_ events: [Event]) throws -> Answer {
        let database = try database
        for event in events { _ = try EventTableSQL.insert([event], into: database) }
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event")
        var events: [Event] = []
        var answer = Answer()
        while try find.step() { events.append(EventTableSQL.event(find)) }
        for event in events { answer.add(event) }
        kept = events
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event WHERE rank BETWEEN ? AND ?")
        var answer = Answer()
        try database.reading {
            for range in ranges {
                find.bind(1, range.lowerBound)
                find.bind(2, range.upperBound)
                var events: [Event] = []
                while try find.step() { events.append(EventTableSQL.event(find)) }
                for event in events { answer.add(event) }
            }
        }
        return answer
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event WHERE id = ?")
        var answer = Answer()
        try database.reading {
            for id in ids {
                find.bind(1, id)
                while try find.step() { answer.add(EventTableSQL.event(find)) }
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

    func grouping() throws -> Answer { try EventTableSQL.grouping(try database) }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        let update = try database.statement("UPDATE event SET time = time + ? WHERE id = ?")
        return try change(ids) { id in
            update.bind(1, delay)
            update.bind(2, id)
            try update.run()
        }
    }

    func updateAfterReading(_ ids: [Int64], delay: Double) throws -> Answer {
        let database = try database
        let update = try database.statement("UPDATE event SET time = ? WHERE id = ?")
        return try database.transaction {
            let events = try read(ids)
            for event in events {
                update.bind(1, event.time + delay)
                update.bind(2, event.id)
                try update.run()
            }
            return Answer(count: events.count)
        }
    }

    func deleteAfterReading(_ ids: [Int64]) throws -> Answer {
        let database = try database
        let delete = try database.statement("DELETE FROM event WHERE id = ?")
        return try database.transaction {
            let events = try read(ids)
            for event in events {
                delete.bind(1, event.id)
                try delete.run()
            }
            return Answer(count: events.count)
        }
    }

    /// The events of these keys, in the order of the keys.
    private func read(_ ids: [Int64]) throws -> [Event] {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event WHERE id = ?")
        var events: [Event] = []
        for id in ids.sorted() {
            find.bind(1, id)
            while try find.step() { events.append(EventTableSQL.event(find)) }
        }
        return events
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
}
