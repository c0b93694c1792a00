import BenchPeers
import Strata
import StrataWorkload

/// The versions of the events' model.
private enum EventVersions {
    static func model(_ step: MigrationStep? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            if step == .rewrite { Entity("Record", isAbstract: true) }
            Entity("Event", parent: step == .rewrite ? "Record" : nil, class: EventObject.self) {
                for part in EventObject.attributes { part }
                if step == .addEmpty { Attribute("note", .integer64) }
                if step == .addDefault { Attribute("note", .integer64, default: 7) }
                FetchIndex("byRank", on: "rank")
            }
        }
    }

    static func fill(_ store: StoreDescription, with events: [Event]) throws {
        let container = try PersistentContainer(model: model(), stores: [store])
        try insert(events, into: container)
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
    }

    static func insert<Events: Sequence>(_ events: Events, into container: PersistentContainer) throws where Events.Element: EventFields {
        var next = events.makeIterator()
        try ManagedObjectContext(container.coordinator).execute(
            BatchInsertRequest(
                entityName: "Event",
                rowHandler: { row in
                    guard let event = next.next() else { return true }
                    row.fill(event)
                    return false
                }))
    }

    static func count(_ container: PersistentContainer) throws -> Answer {
        Answer(count: try ManagedObjectContext(container.coordinator).count(for: ObjectFetchRequest<EventObject>()))
    }
}

/// A store that is migrated when it is opened.
final class MigrationStrata<Choice: StoreChoice>: MigrationParticipant {
    static var name: String { Choice.name }
    static var kind: ParticipantKind { .strata }
    static var reference: String { Choice.name == SQLiteChoice.name ? MigrationPeers.rawSQLite.name : MigrationCopy<Choice>.name }
    static var steps: [MigrationStep] { MigrationStep.allCases }

    private let directory: String

    init(directory: String) { self.directory = directory }

    func prepare(_ events: [Event]) throws { try EventVersions.fill(Choice.store(directory), with: events) }

    func perform(_ step: MigrationStep) throws -> Answer {
        let container = try PersistentContainer(model: EventVersions.model(step), stores: [Choice.store(directory)])
        defer { for store in container.coordinator.stores { try? container.coordinator.remove(store) } }
        return try EventVersions.count(container)
    }
}

/// A store that is copied, object by object, to a new one by a batch insert.
final class MigrationCopy<Choice: StoreChoice>: MigrationParticipant {
    static var name: String { "batch copy, \(Choice.name)" }
    static var kind: ParticipantKind { .strata }
    static var reference: String { name }
    static var steps: [MigrationStep] { [.rewrite] }

    private let directory: String

    init(directory: String) { self.directory = directory }

    func prepare(_ events: [Event]) throws { try EventVersions.fill(Choice.store(directory), with: events) }

    func perform(_ step: MigrationStep) throws -> Answer {
        let old = try PersistentContainer(model: EventVersions.model(), stores: [Choice.store(directory)])
        var description = try Choice.store(directory)
        description.path = description.path.map { $0 + ".copy" }
        let new = try PersistentContainer(model: EventVersions.model(step), stores: [description])
        let context = ManagedObjectContext(old.coordinator)
        try EventVersions.insert(context.fetch(ObjectFetchRequest<EventObject>()), into: new)
        defer { for container in [old, new] { for store in container.coordinator.stores { try? container.coordinator.remove(store) } } }
        return try EventVersions.count(new)
    }
}

extension BatchRow {
    fileprivate mutating func fill(_ event: some EventFields) {
        self[EventObject.id] = event.id
        self[EventObject.time] = event.time
        self[EventObject.title] = event.title
        self[EventObject.detail] = event.detail
        self[EventObject.address] = event.address
        self[EventObject.rank] = event.rank
        self[EventObject.bucket] = event.bucket
    }
}
