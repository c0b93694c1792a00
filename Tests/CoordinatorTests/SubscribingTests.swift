import Dispatch
import Strata
import StrataInMemory
import StrataModel
import Testing

/// What a new listener hears of saves that are on their way to others.
@Suite("Subscribing to saves")
struct SubscribingTests {
    // A test about a store that others write heard of its own first save now and then: the store's follower was telling just then, and told of it
    // after the save had returned.
    @Test("A listener is not notified of a save that ended before its subscription, even if another one has yet to be")
    func overBefore() throws {
        let model = try ManagedObjectModel { Entity("Book") { Attribute("name", .string) } }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.inMemory))
        let (isTold, mayGoOn, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow = coordinator.observeSaves { event in
            if event.number == 1 {
                isTold.signal()
                mayGoOn.wait()
            }
        }
        DispatchQueue.global().async {
            try? save(coordinator)
            isOver.signal()
        }
        isTold.wait()
        try save(coordinator)
        let late = Heard(coordinator)
        mayGoOn.signal()
        isOver.wait()
        #expect(late.events.isEmpty)
        try save(coordinator)
        #expect(late.events.map(\.number) == [3])
        withExtendedLifetime(slow) {}
    }
}

private func save(_ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator)
    _ = try context.insert("Book")
    try context.save()
}
