import Logging
import Strata
import StrataInMemory
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Synchronization
import Testing

@Suite("What a coordinator and a store write to a log", .timeLimit(.minutes(60)))
struct TracingTests {
    /// Keeps the lines of a log.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.add("\(event.level) \(event.message) \((event.metadata ?? [:]).keys.sorted().joined(separator: " "))")
        }
    }

    private static func logger(_ lines: Lines, _ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: lines) }
        logger.logLevel = level
        return logger
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
        let lines = Lines()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        container.coordinator.logger = Self.logger(lines, .debug)
        try Self.use(container.coordinator)
        #expect(lines.all.first == "debug save 2 inserted, 0 updated, 0 deleted microseconds")
        #expect(lines.all.contains("debug fetch Note count microseconds"))
        #expect(lines.all.last == "debug batch update of Note count microseconds")
        #expect(!lines.all.contains { $0.contains("secret") || $0.contains("hidden") })
        container.coordinator.logger = nil
        let count = lines.all.count
        try Self.use(container.coordinator)
        #expect(lines.all.count == count)
    }

    @Test("With the level trace each round trip of a relationship is written")
    func trace() throws {
        let lines = Lines()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        container.coordinator.logger = Self.logger(lines, .trace)
        try Self.use(container.coordinator)
        #expect(lines.all.contains("trace Note.parts count microseconds"))
    }

    @Test("Statements of SQLite are written, with values only where the level is trace", arguments: [Logger.Level.debug, .trace, .info])
    func statements(_ level: Logger.Level) throws {
        let lines = Lines()
        let directory = try TemporaryDirectory()
        let description = StoreDescription(.sqlite(logger: Self.logger(lines, level)), path: directory.file("store"))
        let container = try PersistentContainer(model: Self.model(), stores: [description])
        try Self.use(container.coordinator)
        try container.close()
        let inserts = lines.all.filter { $0.contains("INSERT") && $0.contains("ZNOTE") }
        #expect(inserts.isEmpty == (level == .info))
        #expect(lines.all.contains { $0.contains("secret") } == (level == .trace))
    }

    @Test("A loop that asks for one object after the other is a warning that names it")
    func loop() throws {
        let lines = Lines()
        let container = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        let notes = try (0..<100).map { _ in try context.insert("Note") }
        try context.save()
        container.coordinator.logger = Self.logger(lines, .warning)
        let fresh = ManagedObjectContext(container.coordinator)
        for id in notes.map(\.objectID) { _ = try fresh.existingObject(with: id).value(forKey: "parts") }
        #expect(lines.all.contains { $0.hasPrefix("warning ") && $0.contains("Note.parts") })
    }
}
