import CoreDataEvents
import Strata
import StrataInMemory
import StrataWorkload

/// An event as the macro declares it: its accessors read and write values that no optional wraps.
@Model final class ModelEvent: ManagedObject, EventFields {
    var id: Int64
    var time: Double
    var title: String
    var detail: String
    var address: String
    var rank: Int64
    var bucket: Int64

    init(_ event: Event) {
        id = event.id
        time = event.time
        title = event.title
        detail = event.detail
        address = event.address
        rank = event.rank
        bucket = event.bucket
    }
}

/// Events as `@Model` spells them.
struct ModelEvents: EventGraph {
    private let container: PersistentContainer
    private var loaded: [ModelEvent] = []
    private var context: ManagedObjectContext?

    init() throws { container = try PersistentContainer(for: ModelEvent.self, stores: [StoreDescription(.inMemory)]) }

    func insert(_ events: [Event]) throws {
        let context = ManagedObjectContext(container.coordinator)
        for event in events { context.insert(ModelEvent(event)) }
        try context.save()
    }

    func touchAll() throws -> Answer {
        let context = ManagedObjectContext(container.coordinator)
        var answer = Answer()
        for object in try context.fetch(ObjectFetchRequest<ModelEvent>()) { answer.add(object) }
        return answer
    }

    mutating func load() throws {
        let context = ManagedObjectContext(container.coordinator)
        loaded = try context.fetch(ObjectFetchRequest<ModelEvent>())
        self.context = context
    }

    func readLoaded() -> Int {
        var sum = 0
        for object in loaded { sum &+= Int(object.rank) &+ object.title.utf8.count }
        return sum
    }

    func changeLoaded() { for object in loaded { object.rank = object.id } }
}
