import Strata
import Synchronization

/// The notifications of a listener since they were last read.
final class Heard: Sendable {
    private let heard: Kept
    private let subscription: SaveEventSubscription

    private final class Kept: Sendable {
        let events = Mutex<[SaveEvent]>([])
    }

    init(_ coordinator: PersistentStoreCoordinator) {
        let kept = Kept()
        heard = kept
        subscription = coordinator.observeSaves { event in kept.events.withLock { $0.append(event) } }
    }

    var events: [SaveEvent] { heard.events.withLock { $0 } }

    /// The events since, which are forgotten then.
    func takeAll() -> [SaveEvent] {
        heard.events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// The only event since, which is forgotten then.
    func onlyEvent() throws -> SaveEvent {
        let events = takeAll()
        try expectEqual(events.count, 1)
        return events[0]
    }

    /// The changes of the only store in the only event since.
    func only() throws -> SaveEvent.StoreChanges {
        let event = try onlyEvent()
        try expectEqual(event.stores.count, 1)
        return event.stores[0]
    }
}
