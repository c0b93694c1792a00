import Dispatch
import Strata
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@Suite("Snapshots of several stores", .timeLimit(.minutes(60)))
struct SnapshotTests {
    private static let model = Result {
        try ManagedObjectModel { Entity("Note") { Attribute("n", .integer64) } }
    }

    /// What happens while a fetch has opened the first store, and not the second yet.
    private let pause = Pause()

    /// A note with the number 0 in each of two stores.
    private func container(_ store: TestStore, _ directory: TemporaryDirectory) throws -> PersistentContainer {
        var second = store.description(in: directory.path, name: "second")
        second.driver = WatchedDriver(second.driver, reading: { [pause] in pause.run() })
        let container = try PersistentContainer(model: try Self.model.get(), stores: [store.description(in: directory.path), second])
        let context = ManagedObjectContext(container.coordinator)
        for store in container.coordinator.stores {
            let note = try context.insert("Note")
            try note.setValue(0, forKey: "n")
            try context.assign(note, to: store)
        }
        try context.save()
        return container
    }

    /// Sets the number of the notes in some stores, all in one save.
    private static func save(_ number: Int, in stores: [any PersistentStore], _ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        for store in stores {
            var request = ObjectFetchRequest<ManagedObject>(entityName: "Note")
            request.affectedStores = [store]
            for note in try context.fetch(request) { try note.setValue(number, forKey: "n") }
        }
        try context.save()
    }

    /// The numbers in the first and the second store, of one fetch.
    private func numbers(_ context: ManagedObjectContext, _ coordinator: PersistentStoreCoordinator) throws -> [Int?] {
        context.reset()
        let notes = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Note"))
        return try coordinator.stores.map { store in
            try notes.first { $0.objectID.storeID == store.id }.flatMap { try $0.value(forKey: "n") as? Int }
        }
    }

    private static func record(_ body: () throws -> Void) {
        do { try body() } catch { Issue.record(error) }
    }

    /// Has another thread save while the next snapshot is taken, for as long as that takes, if that is not for ever.
    private func saveDuringSnapshot(_ save: @escaping @Sendable () throws -> Void) -> DispatchSemaphore {
        let saved = DispatchSemaphore(value: 0)
        pause.next = {
            DispatchQueue.global().async {
                Self.record(save)
                saved.signal()
                saved.signal()
            }
            _ = saved.wait(timeout: .now() + 0.3)
        }
        return saved
    }

    @Test("A save over two stores while their snapshots are taken is seen in both or in none", arguments: TestStore.allCases)
    func wholeSaves(_ store: TestStore) throws {
        // The first store was read as of before the save, the second as of after it.
        let directory = try TemporaryDirectory()
        let coordinator = try container(store, directory).coordinator
        let context = ManagedObjectContext(coordinator)
        for number in 1...4 {
            let saved = saveDuringSnapshot { try Self.save(number, in: coordinator.stores, coordinator) }
            let found = number % 2 == 0 ? try numbers(context, coordinator) : try context.withSnapshot { try numbers(context, coordinator) }
            #expect(found[0] == found[1])
            saved.wait()
            #expect(try numbers(context, coordinator) == [number, number])
        }
    }

    @Test("What was saved in one store after another save is not seen without that one", arguments: TestStore.allCases)
    func orderOfSaves(_ store: TestStore) throws {
        // As above, with two saves.
        let directory = try TemporaryDirectory()
        let coordinator = try container(store, directory).coordinator
        let context = ManagedObjectContext(coordinator)
        let saved = saveDuringSnapshot {
            for store in coordinator.stores { try Self.save(1, in: [store], coordinator) }
        }
        let found = try numbers(context, coordinator)
        #expect(found == [0, 0] || found == [1, 0] || found == [1, 1])
        saved.wait()
        #expect(try numbers(context, coordinator) == [1, 1])
    }

    @Test("A snapshot of several stores blocks no save in them", arguments: TestStore.allCases)
    func savesDuringSnapshots(_ store: TestStore) throws {
        struct Failure: Error {}
        let directory = try TemporaryDirectory()
        let coordinator = try container(store, directory).coordinator
        let context = ManagedObjectContext(coordinator)
        var seen: [Int?] = []
        #expect(throws: Failure.self) {
            try context.withSnapshot {
                let saved = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    Self.record { try Self.save(1, in: coordinator.stores, coordinator) }
                    saved.signal()
                }
                saved.wait()
                seen = try context.withSnapshot { try numbers(context, coordinator) }
                throw Failure()
            }
        }
        #expect(seen == [0, 0])
        try coordinator.stores[1].backend.close()
        for _ in 0..<2 { #expect(throws: StoreError.self) { try numbers(context, coordinator) } }
        try coordinator.remove(coordinator.stores[1])
        try Self.save(2, in: coordinator.stores, coordinator)
        #expect(try numbers(context, coordinator) == [2])
    }
}

/// What a store runs, once, before it opens a reader.
private final class Pause: Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    var next: (@Sendable () -> Void)? {
        get { body.withLock { $0 } }
        set { body.withLock { $0 = newValue } }
    }

    func run() {
        let once = body.withLock { body in
            defer { body = nil }
            return body
        }
        once?()
    }
}
