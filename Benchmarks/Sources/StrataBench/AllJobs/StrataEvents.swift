import CoreDataEvents
import Strata
import StrataInMemory
import StrataWorkload

/// Events as Strata itself spells them.
struct StrataEvents: EventGraph {
    private let container: PersistentContainer
    private var loaded: [EventObject] = []
    private var context: ManagedObjectContext?

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Event", class: EventObject.self) { for part in EventObject.attributes { part } }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
    }

    func insert(_ events: [Event]) throws {
        let context = ManagedObjectContext(container.coordinator)
        for event in events { EventObject(context: context).fill(event) }
        try context.save()
    }

    func touchAll() throws -> Answer {
        let context = ManagedObjectContext(container.coordinator)
        var answer = Answer()
        for object in try context.fetch(ObjectFetchRequest<EventObject>()) { answer.add(object) }
        return answer
    }

    mutating func load() throws {
        let context = ManagedObjectContext(container.coordinator)
        loaded = try context.fetch(ObjectFetchRequest<EventObject>())
        self.context = context
    }

    func readLoaded() -> Int {
        var sum = 0
        for object in loaded { sum &+= Int(object.rank) &+ object.title.utf8.count }
        return sum
    }

    func changeLoaded() { for object in loaded { object[EventObject.rank] = object.id } }
}
