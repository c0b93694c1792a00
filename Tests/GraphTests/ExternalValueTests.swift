import FoundationEssentials
import Strata
import StrataFiles
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

/// Large values under several processes: read while they change, left behind by a kill, and beyond the reach of a process.
@Suite("External values and processes", .timeLimit(.minutes(60)))
struct ExternalValueTests {
    private static let threshold = 1000
    private static let model = Result.declared {
        Entity("Note") {
            Attribute("n", .integer64)
            Attribute("data", .binary).externalStorage
        }
    }

    private static func container(_ store: TestStore, _ directory: String) throws -> PersistentContainer {
        var description = store.description(in: directory)
        description.options.externalStorageThreshold = threshold
        return try PersistentContainer(model: try model.get(), stores: [description])
    }

    private static func notes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Note", sort: [QuerySort("n")]))
    }

    /// A store with some notes, whose values are as long as any and of one byte each.
    private static func fill(_ store: TestStore, _ directory: String, count: Int) throws {
        let container = try container(store, directory)
        let context = ManagedObjectContext(container.coordinator)
        for number in 0..<count {
            let note = try context.insert("Note")
            try note.setValue(number, forKey: "n")
            try note.setValue(Data(repeating: UInt8(number), count: 5000), forKey: "data")
        }
        try context.save()
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
    }

    private static func values(_ store: TestStore, _ directory: String) -> ExternalDataDirectory {
        ExternalDataDirectory(storePath: store.description(in: directory).path ?? "")
    }

    @Test("A reader finds every value, however fast another process changes them", arguments: [TestStore.sqlite, .lmdb])
    func readersOfChangingValues(store: TestStore) async throws {
        // Files went with the commit that dropped them: one fetch in six failed.
        let directory = try TemporaryDirectory()
        try Self.fill(store, directory.path, count: 8)
        let reader = Task.detached { [path = directory.path] in
            let container = try Self.container(store, path)
            var fetches = 0
            repeat {
                let context = ManagedObjectContext(container.coordinator)
                for note in try Self.notes(context) {
                    let data = try #require(try note.value(forKey: "data") as? Data)
                    let isWhole = try data == Data(repeating: #require(data.first), count: 5000)
                    #expect(isWhole)
                }
                fetches += 1
                // The thread is one of few that the test runner has.
                await Task.yield()
            } while !FileManager.default.fileExists(atPath: path + "/end")
            return fetches
        }
        await #expect(processExitsWith: .success) { [path = directory.path as String, name = store.rawValue as String] in
            let container = try Self.container(try #require(TestStore(rawValue: name)), path)
            let context = ManagedObjectContext(container.coordinator)
            for round in 0..<60 {
                for (number, note) in try Self.notes(context).enumerated() where (number + round) % 3 == 0 {
                    try note.setValue(Data(repeating: UInt8(truncatingIfNeeded: number + round), count: 5000), forKey: "data")
                }
                try context.save()
            }
        }
        try Data().write(to: URL(filePath: directory.file("end")))
        #expect(try await reader.value > 0)
        let container = try Self.container(store, directory.path)
        withExtendedLifetime(container) {}
        #expect(try Self.values(store, directory.path).names().count == 8)
    }

    @Test("The files of a save that was killed go when the store is opened, and no other store's", arguments: TestStore.durable)
    func filesOfKilledSaves(store: TestStore) async throws {
        let directory = try TemporaryDirectory()
        try Self.fill(store, directory.path, count: 3)
        let values = Self.values(store, directory.path)
        let foreign = try values.write([1, 2, 3])
        let appleName = "619F5BBC-799D-44E4-8B9F-49AC950CD416"
        try Data([7]).write(to: URL(filePath: values.path + "/" + appleName))
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String, name = store.rawValue as String] in
            let container = try Self.container(try #require(TestStore(rawValue: name)), path)
            let entity = try #require(try Self.model.get().entity(named: "Note"))
            let slot = try #require(entity.attribute(named: "data")?.slot)
            let transaction = try container.coordinator.stores[0].backend.beginWrite()
            var (changes, writer) = (ChangeSet(), RowWriter())
            for reference in try (0..<4).map({ _ in try transaction.reserveReferences(1, root: entity.root) }) {
                writer.begin(entity, reference: reference, version: 1)
                writer.set(.data(Data(count: 4000)), at: slot, .binary)
                changes.inserted.append(writer.finish())
            }
            _ = try transaction.apply(changes)
            try transaction.prepare()
            kill(getpid(), SIGKILL)
        }
        #expect(try values.names().count == 9)
        let container = try Self.container(store, directory.path)
        #expect(try values.names().count == 5)
        #expect(try Set(values.names()).isSuperset(of: [foreign, appleName]))
        let notes = try Self.notes(ManagedObjectContext(container.coordinator))
        #expect(try notes.map { try ($0.value(forKey: "data") as? Data)?.first } == [0, 1, 2])
    }

    @Test(
        "A value that cannot be read for want of descriptors is not called damaged, and is read the next time",
        arguments: [TestStore.sqlite, .lmdb])
    func descriptors(store: TestStore) async throws {
        let directory = try TemporaryDirectory()
        try Self.fill(store, directory.path, count: 3)
        await #expect(processExitsWith: .success) { [path = directory.path as String, name = store.rawValue as String] in
            let container = try Self.container(try #require(TestStore(rawValue: name)), path)
            func fetch() throws -> Int { try Self.notes(ManagedObjectContext(container.coordinator)).count }
            #expect(try fetch() == 3)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let probe = dup(0)
            close(probe)
            var low = limit
            low.rlim_cur = rlim_t(probe)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            let error = #expect(throws: StoreError.self) { try fetch() }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(error?.code == .io)
            #expect(error?.recovery == .retryable)
            #expect(try fetch() == 3)
        }
    }
}
