import BenchLMDB
import StrataWorkload

/// Events through LMDB's C API: packed values under integer keys, one index database.
final class EventsRawLMDB<Order: IndexOrder>: EventParticipant {
    static var name: String { Order.name(of: "raw LMDB") }
    static var kind: ParticipantKind { .raw }
    static var grouping: ProcessGrouping { .perStep }
    static var steps: [EventStep] {
        if Order.isDeferred { return [.insert] }
        return [
            .insert, .fetchAll, .ranges, .byID, .count, .grouping, .readUpdate, .update, .readDelete, .delete, .singles, .verify,
        ]
    }

    var kept: Any?
    private let path: String
    private var opened: LMDBEnvironment?
    private var writer = RecordWriter()

    init(directory: String) { path = directory + "/events.lmdb" }

    func open() throws { opened = try LMDBEnvironment(path: path, mapSize: 1 << 32, shapes: [.records, .index]) }

    func close() {
        opened?.close()
        opened = nil
    }

    var environment: LMDBEnvironment {
        get throws {
            try opened.opened(by: "LMDB")
        }
    }

    private func put(_ event: Event, _ events: MDB_dbi, _ transaction: LMDBTransaction, append: Bool) throws {
        writer.reset()
        writer.put(event.rank)
        writer.put(event.bucket)
        writer.put(event.time)
        writer.put(event.title)
        writer.put(event.detail)
        writer.put(event.address)
        try writer.bytes.withUnsafeBytes { try transaction.put(events, event.id, $0, flags: append ? MDB_APPEND : 0) }
    }

    static func event(_ id: Int64, _ bytes: UnsafeRawBufferPointer) -> Event {
        var reader = RecordReader(bytes)
        let rank = reader.integer()
        let bucket = reader.integer()
        return Event(
            id: id,
            time: reader.double(),
            title: reader.text(),
            detail: reader.text(),
            address: reader.text(),
            rank: rank,
            bucket: bucket
        )
    }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        return try add(events)
    }

    func insertSingly(_ events: [Event]) throws -> Answer {
        for event in events { _ = try add([event]) }
        return Answer(count: events.count)
    }

    /// Inserts events in one transaction, with keys above those that are there.
    private func add(_ events: [Event]) throws -> Answer {
        let databases = try environment.databases
        try environment.write { transaction in
            for event in events {
                try put(event, databases[0], transaction, append: true)
                if !Order.isDeferred { try transaction.put(databases[1], event.rank, event.id) }
            }
            if Order.isDeferred {
                for (rank, id) in events.map({ ($0.rank, $0.id) }).sorted(by: <) {
                    try transaction.put(databases[1], rank, id, flags: MDB_APPENDDUP)
                }
            }
        }
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        var events: [Event] = []
        let database = try environment.databases[0]
        try environment.read { transaction in
            try transaction.scan(database) { events.append(Self.event($0.loadUnaligned(as: Int64.self), $1)) }
        }
        var answer = Answer()
        for event in events { answer.add(event) }
        kept = events
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        let databases = try environment.databases
        return try environment.read { transaction in
            var answer = Answer()
            for range in ranges {
                try withUnsafeBytes(of: range.lowerBound) { low in
                    try transaction.scan(databases[1], from: low) { key, value in
                        guard key.loadUnaligned(as: Int64.self) <= range.upperBound else { return false }
                        let id = value.loadUnaligned(as: Int64.self)
                        if let bytes = try transaction.get(databases[0], id) { answer.add(Self.event(id, bytes)) }
                        return true
                    }
                }
            }
            return answer
        }
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        let database = try environment.databases[0]
        return try environment.read { transaction in
            var answer = Answer()
            for id in ids {
                if let bytes = try transaction.get(database, id) { answer.add(Self.event(id, bytes)) }
            }
            return answer
        }
    }

    func count() throws -> Answer {
        let database = try environment.databases[0]
        return Answer(count: try environment.read { try $0.count(database) })
    }

    func grouping() throws -> Answer {
        let database = try environment.databases[0]
        return try environment.read { transaction in
            var groups: [Int64: (count: Int64, sum: Int64)] = [:]
            try transaction.scan(database) { _, value in
                let rank = value.loadUnaligned(as: Int64.self)
                let bucket = value.loadUnaligned(fromByteOffset: 8, as: Int64.self)
                groups[bucket, default: (0, 0)].count += 1
                groups[bucket, default: (0, 0)].sum += rank
            }
            var answer = Answer()
            for (bucket, group) in groups { answer.add(bucket: bucket, events: group.count, ranks: group.sum) }
            return answer
        }
    }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        let database = try environment.databases[0]
        return try environment.write { transaction in
            var answer = Answer()
            for id in ids.sorted() {
                guard let bytes = try transaction.get(database, id) else { continue }
                var event = Self.event(id, bytes)
                event.time += delay
                try put(event, database, transaction, append: false)
                answer.count += 1
            }
            return answer
        }
    }

    func updateAfterReading(_ ids: [Int64], delay: Double) throws -> Answer {
        let database = try environment.databases[0]
        return try environment.write { transaction in
            let events = try read(ids, transaction)
            for var event in events {
                event.time += delay
                try put(event, database, transaction, append: false)
            }
            return Answer(count: events.count)
        }
    }

    func deleteAfterReading(_ ids: [Int64]) throws -> Answer {
        let databases = try environment.databases
        return try environment.write { transaction in
            var answer = Answer()
            for event in try read(ids, transaction) {
                try transaction.delete(databases[1], event.rank, event.id)
                if try transaction.delete(databases[0], event.id) { answer.count += 1 }
            }
            return answer
        }
    }

    /// The events of these keys, in the order of the keys.
    private func read(_ ids: [Int64], _ transaction: LMDBTransaction) throws -> [Event] {
        let database = try environment.databases[0]
        return try ids.sorted().compactMap { id in try transaction.get(database, id).map { Self.event(id, $0) } }
    }

    func delete(_ ids: [Int64]) throws -> Answer {
        let databases = try environment.databases
        return try environment.write { transaction in
            var answer = Answer()
            for id in ids.sorted() {
                guard let bytes = try transaction.get(databases[0], id) else { continue }
                try transaction.delete(databases[1], bytes.loadUnaligned(as: Int64.self), id)
                if try transaction.delete(databases[0], id) { answer.count += 1 }
            }
            return answer
        }
    }
}
