public import GRDB
public import StrataWorkload

extension Event: FetchableRecord, PersistableRecord {
    public static let databaseTableName = "event"

    public init(row: Row) {
        self.init(
            id: row["id"], time: row["time"], title: row["title"], detail: row["detail"], address: row["address"], rank: row["rank"],
            bucket: row["bucket"])
    }

    public func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["time"] = time
        container["title"] = title
        container["detail"] = detail
        container["address"] = address
        container["rank"] = rank
        container["bucket"] = bucket
    }
}

/// Events as GRDB records, as GRDB's README writes them.
final class EventsGRDB: EventParticipant, QueueParticipant {
    static let name = "GRDB"
    static let kind = ParticipantKind.peer
    static let grouping = ProcessGrouping.perStep
    static let steps: [EventStep] = [
        .insert, .fetchAll, .ranges, .byID, .count, .grouping, .readUpdate, .update, .readDelete, .delete, .singles, .verify,
    ]
    static let equivalents: [EventStep: EventStep] = [.update: .readUpdate]

    var kept: Any?
    let path: String
    var queue: DatabaseQueue?

    convenience init(directory: String) { self.init(path: directory + "/events-grdb.sqlite") }

    init(path: String) { self.path = path }

    func open() throws { queue = try GRDBArchive.open(path) }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        try write { database in
            for sql in EventTableSQL.schema { try database.execute(sql: sql) }
            for event in events { try event.insert(database) }
        }
        return Answer(count: events.count)
    }

    func insertSingly(_ events: [Event]) throws -> Answer {
        for event in events { try write { try event.insert($0) } }
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        let records = try read { try Event.fetchAll($0) }
        var answer = Answer()
        for record in records { answer.add(record) }
        kept = records
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for range in ranges {
                for record in try Event.filter(range.contains(Column("rank"))).fetchAll(database) { answer.add(record) }
            }
            return answer
        }
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        try read { database in
            var answer = Answer()
            for id in ids {
                if let record = try Event.fetchOne(database, key: id) { answer.add(record) }
            }
            return answer
        }
    }

    func count() throws -> Answer { Answer(count: try read { try Event.fetchCount($0) }) }

    func grouping() throws -> Answer {
        try read { database in
            var answer = Answer()
            let request = Event.select([Column("bucket"), GRDB.count(Column.rowID), sum(Column("rank"))]).group(Column("bucket"))
            let rows = try Row.fetchCursor(database, request)
            while let row = try rows.next() { answer.add(bucket: row[0], events: row[1], ranks: row[2]) }
            return answer
        }
    }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        try write { database in
            var answer = Answer()
            for id in ids.sorted() {
                guard var record = try Event.fetchOne(database, key: id) else { continue }
                if try record.updateChanges(database, modify: { $0.time += delay }) { answer.count += 1 }
            }
            return answer
        }
    }

    func deleteAfterReading(_ ids: [Int64]) throws -> Answer {
        try write { database in
            let records = try ids.sorted().compactMap { try Event.fetchOne(database, key: $0) }
            var answer = Answer()
            for record in records where try record.delete(database) { answer.count += 1 }
            return answer
        }
    }

    func delete(_ ids: [Int64]) throws -> Answer {
        try write { database in
            var answer = Answer()
            for id in ids.sorted() where try Event.deleteOne(database, key: id) { answer.count += 1 }
            return answer
        }
    }
}
