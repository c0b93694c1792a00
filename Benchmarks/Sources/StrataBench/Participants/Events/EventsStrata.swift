import BenchPeers
import Strata
import StrataWorkload

/// Events as managed objects.
final class EventsStrata<Choice: StoreChoice>: EventParticipant, ContainerParticipant {
    static var name: String { Choice.name }
    static var kind: ParticipantKind { .strata }
    static var grouping: ProcessGrouping { Choice.grouping }
    static var steps: [EventStep] {
        if Choice.grouping == .perPhase { return [.save, .load] }
        let steps: [EventStep] = [
            .insert, .fetchAll, .fetchUntouched, .ranges, .byID, .count, .grouping, .readUpdate, .update, .readDelete, .delete, .singles,
            .verify,
        ]
        return ServerParticipant.all.contains(name) ? steps + [.batchUpdate, .batchDelete, .fourWriters, .sixteenWriters] : steps
    }

    var kept: Any?
    private let store: StoreDescription
    var container: PersistentContainer?
    private var unsaved: ManagedObjectContext?

    init(directory: String) throws { store = try Choice.store(directory) }

    func open() throws { container = try PersistentContainer(model: EventObject.model(), stores: [store]) }

    func context() throws -> ManagedObjectContext {
        let container = try container.opened(by: "Strata")
        return ManagedObjectContext(container.coordinator)
    }

    func insert(_ events: [Event]) throws -> Answer {
        try open()
        let context = try context()
        for event in events { EventObject(context: context).fill(event) }
        try context.save()
        return Answer(count: events.count)
    }

    func fetchAll(touching: Bool) throws -> Answer {
        let context = try context()
        let events = try context.fetch(ObjectFetchRequest<EventObject>())
        var answer = Answer()
        if touching {
            for event in events { answer.add(event) }
        } else {
            answer.count = events.count
        }
        kept = (context, events)
        return answer
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) throws -> Answer {
        let context = try context()
        var answer = Answer()
        try context.withSnapshot {
            for range in ranges {
                for event in try context.fetch(ObjectFetchRequest<EventObject>(EventObject.rank.between(range))) { answer.add(event) }
            }
        }
        return answer
    }

    func byID(_ ids: [Int64]) throws -> Answer {
        let context = try context()
        var answer = Answer()
        let objectIDs = try objectIDs(ids, context)
        try context.withSnapshot {
            for id in objectIDs {
                if let event = try context.existingObject(with: id) as? EventObject { answer.add(event) }
            }
        }
        return answer
    }

    /// The IDs of events whose keys count from 1: an insert gives references in the same order, without gaps.
    func objectIDs(_ ids: [Int64], _ context: ManagedObjectContext) throws -> [ObjectID] {
        guard let first = try context.fetch(ObjectFetchRequest<EventObject>(limit: 1)).first else { return [] }
        let (scope, offset) = (first.objectID.scope, first.objectID.reference - first.id)
        return ids.map { ObjectID(scope: scope, reference: $0 + offset) }
    }

    func count() throws -> Answer { Answer(count: try context().count(for: ObjectFetchRequest<EventObject>())) }

    func grouping() throws -> Answer {
        var answer = Answer()
        let groups = try context().fetchDictionaries(
            ObjectFetchRequest<EventObject>().grouped(by: ["bucket"], computing: [.count(as: "events"), .sum("rank", as: "ranks")]))
        for group in groups {
            guard case .int(let bucket) = group["bucket"], case .int(let events) = group["events"], case .int(let ranks) = group["ranks"]
            else { continue }
            answer.add(bucket: bucket, events: events, ranks: ranks)
        }
        return answer
    }

    func update(_ ids: [Int64], delay: Double) throws -> Answer {
        let context = try context()
        let events = try context.existingObjects(with: objectIDs(ids, context))
        for case let event as EventObject in events { event[EventObject.time] = event.time + delay }
        try context.save()
        return Answer(count: events.count)
    }

    func delete(_ ids: [Int64]) throws -> Answer {
        let context = try context()
        let events = try context.existingObjects(with: objectIDs(ids, context))
        for event in events { context.delete(event) }
        try context.save()
        return Answer(count: events.count)
    }

    func batchUpdate(_ ids: [Int64], delay: Double) throws -> Answer {
        let context = try context()
        var request = BatchUpdateRequest(entityName: "Event", try isAmong(ids, context), set: ["time": EventObject.time + delay])
        request.resultType = .count
        return Answer(count: try context.execute(request).count)
    }

    func batchDelete(_ ids: [Int64]) throws -> Answer {
        let context = try context()
        var request = BatchDeleteRequest(entityName: "Event", try isAmong(ids, context))
        request.resultType = .count
        return Answer(count: try context.execute(request).count)
    }

    private func isAmong(_ ids: [Int64], _ context: ManagedObjectContext) throws -> QueryPredicate {
        try QueryPredicate(format: "SELF IN %@", objectIDs(ids, context).map { Value.objectID($0) })
    }

    func insertSingly(_ events: [Event]) throws -> Answer {
        let context = try context()
        for event in events {
            EventObject(context: context).fill(event)
            try context.save()
        }
        return Answer(count: events.count)
    }

    func insert(_ events: [Event], writers: Int) throws -> Answer {
        let container = try container.opened(by: "Strata")
        try Writers.run(events, writers) { events in
            try container.newBackgroundContext().performAndWait { context in
                for event in events {
                    EventObject(context: context).fill(event)
                    try context.save()
                }
            }
        }
        return Answer(count: events.count)
    }

    func prepareSave(_ events: [Event]) throws {
        try open()
        let context = try context()
        for event in events { EventObject(context: context).fill(event) }
        unsaved = context
    }

    func save(_ events: [Event]) throws -> Answer {
        try unsaved?.save()
        unsaved = nil
        return Answer(count: events.count)
    }

    func load() throws -> Answer {
        try open()
        return try fetchAll(touching: true)
    }
}

/// An event in the graph.
final class EventObject: ManagedObject, EventFields {
    static let id = Key<Int64>("id")
    static let time = Key<Double>("time")
    static let title = Key<String>("title")
    static let detail = Key<String>("detail")
    static let address = Key<String>("address")
    static let rank = Key<Int64>("rank")
    static let bucket = Key<Int64>("bucket")

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Event", class: EventObject.self) {
                for part in attributes { part }
                FetchIndex("byRank", on: "rank")
            }
        }
    }

    static var attributes: [Attribute] {
        [
            Attribute("id", .integer64).required, Attribute("time", .double).required, Attribute("title", .string).required,
            Attribute("detail", .string).required, Attribute("address", .string).required, Attribute("rank", .integer64).required,
            Attribute("bucket", .integer64).required,
        ]
    }

    var id: Int64 { self[Self.id] ?? 0 }
    var time: Double { self[Self.time] ?? 0 }
    var title: String { self[Self.title] ?? "" }
    var detail: String { self[Self.detail] ?? "" }
    var address: String { self[Self.address] ?? "" }
    var rank: Int64 { self[Self.rank] ?? 0 }
    var bucket: Int64 { self[Self.bucket] ?? 0 }

    func fill(_ event: Event) {
        self[Self.id] = event.id
        self[Self.time] = event.time
        self[Self.title] = event.title
        self[Self.detail] = event.detail
        self[Self.address] = event.address
        self[Self.rank] = event.rank
        self[Self.bucket] = event.bucket
    }
}
