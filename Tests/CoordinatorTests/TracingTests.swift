import Logging
import Strata
import StrataInMemory
import StrataPlatform
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Synchronization
import Testing

@Suite("What a coordinator and a store write to a log", .timeLimit(.minutes(60)))
struct TracingTests {
    /// Returns a log whose lines have the level, the message and the names of the metadata, or their values too.
    private static func log(keepsValues: Bool = false) -> RecordedLog {
        RecordedLog { event in
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { keepsValues ? "\($0)=\($1)" : $0 }
            return "\(event.level) \(event.message) \(metadata.joined(separator: " "))"
        }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note", attributes: ["text": .string], relationships: ["parts": .toMany("Part.note")])
            Entity("Part") { Relationship("note", to: "Note", inverse: "parts") }
        }
    }

    private static func use(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        for name in ["secret", "other"] {
            let note = try context.insert("Note")
            try note.setValue(name, forKey: "text")
        }
        try context.save()
        let fresh = ManagedObjectContext(coordinator)
        let notes = try fresh.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Note", key("text") == "secret"))
        _ = try notes.first?.value(forKey: "parts")
        try fresh.execute(BatchUpdateRequest(entityName: "Note", set: ["text": Value.string("hidden")]))
    }

    @Test("Saves, fetches and batches are written with their times and counts, and without values")
    func debug() throws {
        let log = Self.log()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        container.coordinator.logger = log.logger(.debug)
        try Self.use(container.coordinator)
        #expect(log.lines.first == "debug save 2 inserted, 0 updated, 0 deleted microseconds store")
        #expect(log.lines.contains("debug fetch Note count microseconds rows store"))
        #expect(log.lines.last == "debug batch update of Note count microseconds store")
        #expect(!log.lines.contains { $0.contains("secret") || $0.contains("hidden") })
        container.coordinator.logger = nil
        let count = log.lines.count
        try Self.use(container.coordinator)
        #expect(log.lines.count == count)
    }

    @Test("With the level trace each round trip of a relationship is written")
    func trace() throws {
        let log = Self.log()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        container.coordinator.logger = log.logger(.trace)
        try Self.use(container.coordinator)
        #expect(log.lines.contains("trace Note.parts count microseconds store"))
    }

    @Test("Statements of SQLite are written, with values only where the level is trace", arguments: [Logger.Level.debug, .trace, .info])
    func statements(_ level: Logger.Level) throws {
        let log = Self.log()
        let directory = try TemporaryDirectory()
        let description = StoreDescription(.sqlite(logger: log.logger(level)), path: directory.file("store"))
        let container = try PersistentContainer(model: Self.model(), stores: [description])
        try Self.use(container.coordinator)
        try container.close()
        let inserts = log.lines.filter { $0.contains("INSERT") && $0.contains("ZNOTE") }
        #expect(inserts.isEmpty == (level == .info))
        #expect(log.lines.contains { $0.contains("secret") } == (level == .trace))
    }

    /// The lines of an area's level with a store that is given at the beginning.
    private static func container(
        _ log: RecordedLog, _ level: Logger.Level = .trace, _ change: (inout StoreInstrumentation) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var instrumentation = StoreInstrumentation(logger: log.logger(level))
        change(&instrumentation)
        return try PersistentContainer(model: model(), stores: [StoreDescription(.inMemory)], instrumentation: instrumentation)
    }

    @Test("Each area has a level of its own")
    func levels() throws {
        let log = Self.log()
        let container = try Self.container(log, .info) { $0.logLevels = [.saves: .debug, .fetches: .error, .roundTrips: .trace] }
        try Self.use(container.coordinator)
        let areas = Set(log.lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
        #expect(areas == ["save", "Note.parts"])
    }

    @Test("A slow fetch is a warning with store, statement and rows read, and without values", arguments: [false, true])
    func slow(_ isSQLite: Bool) throws {
        let log = Self.log(keepsValues: true)
        let directory = try TemporaryDirectory()
        var instrumentation = StoreInstrumentation(logger: log.logger(.warning))
        instrumentation.slowFetchThreshold = .zero
        let store = isSQLite ? StoreDescription(.sqlite, path: directory.file("store")) : StoreDescription(.inMemory)
        let container = try PersistentContainer(model: Self.model(), stores: [store], instrumentation: instrumentation)
        try Self.use(container.coordinator)
        let line = try #require(log.lines.first { $0.hasPrefix("warning slow fetch Note ") })
        #expect(line.contains("rows=1") || line.contains("rows=2"))
        #expect(line.contains(isSQLite ? "store=SQLite " : "store=InMemory "))
        #expect(line.contains(isSQLite ? "SELECT" : "plan=full scan"))
        #expect(!line.contains("secret"))
        instrumentation.slowFetchThreshold = .seconds(3600)
        container.coordinator.instrumentation = instrumentation
        let count = log.lines.count
        try Self.use(container.coordinator)
        #expect(log.lines.count == count)
    }

    @Test("A fetch is logged with the rows that the store read, which may be more than its results")
    func rowsRead() throws {
        let log = Self.log(keepsValues: true)
        let container = try Self.container(log)
        try Self.use(container.coordinator)
        let line = try #require(log.lines.first { $0.hasPrefix("debug fetch Note ") })
        #expect(line.contains("count=1"))
        #expect(line.contains("rows=2"))
    }

    @Test("A migration at opening is logged where the logger is given with the container")
    func migration() throws {
        let directory = try TemporaryDirectory()
        let store = StoreDescription(.sqlite, path: directory.file("store"))
        try PersistentContainer(model: Self.model(), stores: [store]).close()
        let log = Self.log()
        let next = try ManagedObjectModel {
            Entity("Note", attributes: ["text": .string, "more": .string], relationships: ["parts": .toMany("Part.note")])
            Entity("Part") { Relationship("note", to: "Note", inverse: "parts") }
        }
        let instrumentation = StoreInstrumentation(logger: log.logger(.info))
        try PersistentContainer(model: next, stores: [store], instrumentation: instrumentation).close()
        #expect(log.lines.contains { $0.hasPrefix("info migrate \(directory.file("store")) from version") })
        #expect(log.lines.contains { $0.hasPrefix("info migrate microseconds") })
    }

    @Test("The saves of another coordinator are logged as remote changes")
    func remoteChanges() throws {
        let directory = try TemporaryDirectory()
        let log = Self.log()
        var store = StoreDescription(.sqlite, path: directory.file("store"))
        store.options.postsRemoteChanges = true
        let instrumentation = StoreInstrumentation(logger: log.logger(.debug))
        let container = try PersistentContainer(model: Self.model(), stores: [store], instrumentation: instrumentation)
        let other = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.sqlite, path: directory.file("store"))])
        try Self.use(other.coordinator)
        // Ends by the suite's time limit where it is never logged.
        while !log.lines.contains(where: { $0.hasPrefix("debug remote changes: 2 inserted") }) { usleep(1000) }
        try other.close()
        try container.close()
    }

    /// Keeps what it was notified of.
    private final class Observer: OperationObserver {
        let observesRoundTrips: Bool
        private let operations = Mutex<[CompletedOperation]>([])
        private let uses = Mutex<[ConnectionUse]>([])
        var all: [CompletedOperation] { operations.withLock { $0 } }
        var allUses: [ConnectionUse] { uses.withLock { $0 } }
        init(_ observesRoundTrips: Bool) { self.observesRoundTrips = observesRoundTrips }
        func didComplete(_ operation: CompletedOperation) { operations.withLock { $0.append(operation) } }
        func didUse(_ connection: ConnectionUse, of store: any PersistentStore) { uses.withLock { $0.append(connection) } }
    }

    @Test("Observers are notified of each operation and of each use of a connection", arguments: [false, true])
    func observers(_ observesRoundTrips: Bool) throws {
        let directory = try TemporaryDirectory()
        let observer = Observer(observesRoundTrips)
        let container = try PersistentContainer(
            model: Self.model(), stores: [StoreDescription(.sqlite, path: directory.file("store"))],
            instrumentation: StoreInstrumentation(observers: [observer]))
        try Self.use(container.coordinator)
        let kinds = observer.all.map(\.operation.kind)
        #expect(kinds == (observesRoundTrips ? [.save, .fetch, .destinations, .batchUpdate] : [.save, .fetch, .batchUpdate]))
        #expect(observer.all[0].operation.inserted == 2)
        #expect(observer.all.map { $0.stores.map(\.type) } == kinds.map { _ in [.sqlite] })
        #expect(Set(observer.allUses.map(\.pool)) == ["readers"])
    }

    @Test("A loop that asks for one object after the other is a warning that names it")
    func loop() throws {
        let log = Self.log()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        let notes = try (0..<100).map { _ in try context.insert("Note") }
        try context.save()
        container.coordinator.logger = log.logger(.warning)
        let fresh = ManagedObjectContext(container.coordinator)
        for id in notes.map(\.objectID) { _ = try fresh.existingObject(with: id).value(forKey: "parts") }
        #expect(log.lines.contains { $0.hasPrefix("warning ") && $0.contains("Note.parts") })
    }
}
