import Strata
import Synchronization

/// What a listener of a coordinator was told.
final class Heard: Sendable {
    private final class Kept: Sendable {
        let events = Mutex<[SaveEvent]>([])
    }

    private let kept = Kept()
    private let subscription: SaveEventSubscription

    init(_ coordinator: PersistentStoreCoordinator) {
        subscription = coordinator.observeSaves { [kept] event in kept.events.withLock { $0.append(event) } }
    }

    var events: [SaveEvent] { kept.events.withLock { $0 } }
}
