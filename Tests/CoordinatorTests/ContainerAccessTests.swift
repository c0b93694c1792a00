import Dispatch
import FoundationEssentials
import Strata
import StrataEngine
import StrataFiles
import StrataInMemory
import StrataPlatform
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Synchronization
import Testing

@Suite("Blocks that read and write a container", .timeLimit(.minutes(60)))
struct ContainerAccessTests {
    private struct Failure: Error {}

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel { Entity("Note", attributes: ["text": .string, "number": .integer64], relationships: [:]) }
    }

    private static let notes = ObjectFetchRequest<ManagedObject>(entityName: "Note")

    private let directory: TemporaryDirectory
    private let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory()
        container = try Self.container(directory)
    }

    private static func container(
        _ directory: TemporaryDirectory, _ name: String = "store", _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var description = StoreDescription(.sqlite, path: directory.file(name))
        change(&description.options)
        return try PersistentContainer(model: model(), stores: [description])
    }

    private static func count(_ container: PersistentContainer) async throws -> Int {
        try await container.read { try $0.count(for: notes) }
    }

    private static func add(_ text: String, to context: ManagedObjectContext) throws {
        try context.insert("Note").setValue(text, forKey: "text")
    }

    @Test("A block that writes is saved at its end, and its value comes out")
    func write() async throws {
        let id = try await container.write { context in
            let note = try context.insert("Note")
            try note.setValue("a", forKey: "text")
            try context.obtainPermanentIDs(for: [note])
            return note.objectID
        }
        let text = try await container.read { context in try context.existingObject(with: id).value(forKey: "text") as? String }
        #expect(text == "a")
    }

    @Test("The changes of a block that throws are discarded")
    func failure() async throws {
        await #expect(throws: Failure.self) {
            try await container.write { context in
                try Self.add("a", to: context)
                throw Failure()
            }
        }
        #expect(try await Self.count(container) == 0)
    }

    @Test("A block that reads sees one state of the stores, and cannot save")
    func reading() async throws {
        try await container.write { try Self.add("a", to: $0) }
        let container = container
        let counts = try await container.read { context in
            let before = try context.count(for: Self.notes)
            try container.newBackgroundContext().performAndWait { other in
                try Self.add("b", to: other)
                try other.save()
            }
            return [before, try context.count(for: Self.notes)]
        }
        #expect(counts == [1, 1])
        let error = await #expect(throws: StoreError.self) {
            try await container.read { context in
                try Self.add("c", to: context)
                try context.save()
            }
        }
        #expect(error?.code == .readOnly)
        #expect(error?.message == "the context is read-only")
        let batch = await #expect(throws: StoreError.self) {
            try await container.read { _ = try $0.execute(BatchDeleteRequest(entityName: "Note")) }
        }
        #expect(batch?.code == .readOnly)
        try await container.read { try Self.add("discarded", to: $0) }
        #expect(try await Self.count(container) == 2)
    }

    @Test("A block runs as part of its task: with local values, and apart from the cooperative threads")
    func taskValues() async throws {
        let value = try await Local.$value.withValue(7) { try await container.read { _ in Local.value } }
        #expect(value == 7)
    }

    private enum Local { @TaskLocal static var value = 0 }

    /// The number of blocks that run.
    private final class Running: Sendable {
        private let state = Mutex((now: 0, most: 0, begun: 0))
        var most: Int { state.withLock { $0.most } }
        var begun: Int { state.withLock { $0.begun } }
        func begin() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.begun + 1) } }
        func end() { state.withLock { $0.now -= 1 } }
    }

    @Test("500 tasks that read and 500 that write all end, and no more than the maximum read at once")
    func manyTasks() async throws {
        let container = try Self.container(directory, "many") { $0.maximumReaders = 4 }
        let running = Running()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask(priority: number % 2 == 0 ? .high : .background) {
                    try await container.write { try $0.insert("Note").setValue(number, forKey: "number") }
                }
                group.addTask {
                    _ = try await container.read { context in
                        running.begin()
                        defer { running.end() }
                        return try context.count(for: Self.notes)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.most <= 4)
        let numbers = try await container.read { context in
            try context.fetch(Self.notes).compactMap { try $0.value(forKey: "number") as? Int }
        }
        #expect(numbers.sorted() == Array(0..<500))
        let pool = try #require(container.coordinator.health.first?.condition.pools.first)
        #expect(pool.used == 0)
        #expect(pool.idle <= 4)
        #expect(pool.maximum == 4)
    }

    @Test("500 threads that fetch at once share a store's connections, and all get their answer")
    func manyThreads() async throws {
        let container = try Self.container(directory, "threads") { $0.maximumReaders = 3 }
        try await container.write { try Self.add("a", to: $0) }
        let answers = Mutex<[Int]>([])
        let end = DispatchSemaphore(value: 0)
        // Threads, as tasks are few at once.
        for _ in 0..<500 {
            try #require(
                OwnThread.run {
                    let count = try? container.newContext(isolation: nil).count(for: Self.notes)
                    answers.withLock { $0.append(count ?? -1) }
                    end.signal()
                })
        }
        for _ in 0..<500 { end.wait() }
        #expect(answers.withLock { $0 } == Array(repeating: 1, count: 500))
        let pool = try #require(container.coordinator.health.first?.condition.pools.first)
        #expect(pool.idle <= 3)
    }

    @Test("While blocks wait in all permits and hundreds of tasks for one, a task that does not read goes on")
    func cooperativeThreads() async throws {
        let readers = 4 * max(2, ProcessInfo.processInfo.activeProcessorCount)
        let container = try Self.container(directory, "busy") { $0.maximumReaders = readers }
        let isReleased = Flag()
        let gate = DispatchSemaphore(value: 0)
        // Without it, a facade that blocks the cooperative threads would hang the tests.
        let watchdog = Self.watchdog(gate, readers)
        let started = Running()
        let tasks = (0..<readers + 300).map { _ in
            Task {
                try await container.read { context in
                    if !isReleased.isSet {
                        started.begin()
                        gate.wait()
                    }
                    return try context.count(for: Self.notes)
                }
            }
        }
        while started.begun < readers { await Task.yield() }
        let steps = await Task.detached {
            var steps = 0
            for _ in 0..<1000 {
                await Task.yield()
                steps += 1
            }
            return steps
        }.value
        #expect(steps == 1000)
        #expect(!watchdog.isSet)
        isReleased.set()
        // Also for blocks that had looked just before.
        for _ in 0..<readers + 300 { gate.signal() }
        for task in tasks { #expect(try await task.value == 0) }
    }

    /// Ends waiting after half a minute, and sets the flag then.
    private static func watchdog(_ gate: DispatchSemaphore, _ count: Int) -> Flag {
        let watchdog = Flag()
        _ = OwnThread.run(after: 30_000_000_000) {
            watchdog.set()
            for _ in 0..<count { gate.signal() }
        }
        return watchdog
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    @Test("Reading the updates of a history blocks no cooperative thread")
    func historyUpdates() async throws {
        let container = try Self.container(directory, "history") {
            $0.maximumReaders = 1
            $0.history = HistoryPolicy()
        }
        let token = try container.history.currentToken()
        let gate = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        let watchdog = Self.watchdog(gate, 1)
        // The only connection for reading.
        try #require(
            OwnThread.run {
                try? container.coordinator.withSnapshot {
                    isHeld.signal()
                    gate.wait()
                }
            })
        isHeld.wait()
        let tasks = try (0..<4 * max(2, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            let updates = try container.history.updates(after: token)
            return Task {
                for try await transaction in updates { return transaction.changes.count }
                return 0
            }
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(await Task.detached { 1 }.value == 1)
        #expect(!watchdog.isSet)
        gate.signal()
        try await container.write { try Self.add("a", to: $0) }
        for task in tasks { #expect(try await task.value == 1) }
    }

    @Test("A task that is not admitted in time gets the error busy")
    func busy() async throws {
        let container = try Self.container(directory, "timeout") { ($0.maximumReaders, $0.connectionTimeout) = (1, 0.02) }
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = AsyncStream<Void>.makeStream()
        let first = Task {
            try await container.read { _ in
                hasBegun.continuation.finish()
                gate.wait()
            }
        }
        for await _ in hasBegun.stream {}
        let error = await #expect(throws: StoreError.self) { try await container.read { _ in } }
        #expect(error?.code == .busy)
        #expect(error?.message == "too many blocks of the container run")
        // A fetch of another context waits for the connection itself.
        let other = container.newBackgroundContext()
        let fetch = await #expect(throws: StoreError.self) { try await other.perform { try $0.count(for: Self.notes) } }
        #expect(fetch?.code == .busy)
        #expect(container.coordinator.health.first?.condition.pools.first?.timeouts == 1)
        gate.signal()
        try await first.value
        #expect(try await Self.count(container) == 0)
    }

    @Test("While a block that writes does not end, further ones get the error busy, and reads go on, also within the block")
    func endlessWrite() async throws {
        let container = try Self.container(directory, "endless") { $0.connectionTimeout = 0.02 }
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = AsyncStream<Int>.makeStream()
        let first = Task {
            try await container.write { context in
                try Self.add("late", to: context)
                let others = try container.newBackgroundContext().performAndWait { try $0.count(for: Self.notes) }
                hasBegun.continuation.yield(others + (try context.count(for: Self.notes)))
                hasBegun.continuation.finish()
                gate.wait()
            }
        }
        for await counts in hasBegun.stream { #expect(counts == 1) }
        for _ in 0..<20 {
            let error = await #expect(throws: StoreError.self) { try await container.write { try Self.add("never", to: $0) } }
            #expect(error?.code == .busy)
            #expect(error?.recovery == .retryable)
            #expect(try await Self.count(container) == 0)
        }
        gate.signal()
        try await first.value
        #expect(try await Self.count(container) == 1)
    }

    @Test("A task that is cancelled while it waits ends, and one that is cancelled in its block saves nothing")
    func cancellation() async throws {
        let container = try Self.container(directory, "cancelled") { $0.maximumReaders = 1 }
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = AsyncStream<Void>.makeStream()
        let first = Task {
            try await container.write { context in
                hasBegun.continuation.finish()
                gate.wait()
                try Self.add("never saved", to: context)
            }
        }
        for await _ in hasBegun.stream {}
        let second = Task { try await container.write { try Self.add("not begun", to: $0) } }
        let third = Task { try await container.write { try Self.add("saved", to: $0) } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await first.value }
        try await third.value
        let texts = try await container.read { try $0.fetch(Self.notes).compactMap { try $0.value(forKey: "text") as? String } }
        #expect(texts == ["saved"])
    }

    @Test("A cancelled task's long read ends")
    func cancelledRead() async throws {
        try await container.write { context in for _ in 0..<2000 { _ = try context.insert("Note") } }
        let container = container
        let hasBegun = AsyncStream<Void>.makeStream()
        let task = Task {
            try await container.read { context in
                hasBegun.continuation.finish()
                while true { _ = try context.count(for: Self.notes) }
            }
        }
        for await _ in hasBegun.stream {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Shutting down lets running blocks end, refuses new ones, and reports or saves unsaved changes", arguments: UnsavedChanges.all)
    func shutDown(_ changes: UnsavedChanges) async throws {
        let container = try Self.container(directory, "shutdown")
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = AsyncStream<Void>.makeStream()
        let running = Task {
            try await container.write { context in
                hasBegun.continuation.finish()
                gate.wait()
                try Self.add("block", to: context)
            }
        }
        for await _ in hasBegun.stream {}
        let background = container.newBackgroundContext()
        try await background.perform { try Self.add("background", to: $0) }
        try await MainActor.run { try Self.add("view", to: container.viewContext) }
        let clean = container.newBackgroundContext()
        _ = try await clean.perform { try $0.count(for: Self.notes) }
        let shutDown = Task { await container.shutDown(changes) }
        while true {
            do { try await container.read { _ in } } catch let error as StoreError where error.code == .closed {
                #expect(error.message == "the container was shut down")
                break
            }
        }
        gate.signal()
        try await running.value
        let report = await shutDown.value
        #expect(report.contexts.map(\.name) == ["Strata background context", "Strata view context"])
        #expect(report.contexts.map(\.changedObjects) == [1, 1])
        #expect(report.lost.count == (changes == .save ? 0 : 2))
        #expect(report.closingError == nil)
        #expect(container.coordinator.health.isEmpty)
        let expected = changes == .save ? ["background", "block", "view"] : ["block"]
        let again = try Self.container(directory, "shutdown")
        let texts = try await again.read { try $0.fetch(Self.notes).compactMap { try $0.value(forKey: "text") as? String } }
        #expect(texts.sorted() == expected)
        #expect(FileManager.default.fileExists(atPath: directory.file("shutdown")))
    }

    // The second call discarded what the first was to save.
    @Test("Of two calls that shut a container down the second waits for the first, and has its report")
    func shutDownTwice() async throws {
        let container = try Self.container(directory, "twice")
        let background = container.newBackgroundContext()
        try await background.perform { try Self.add("background", to: $0) }
        let reports = await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { await container.shutDown(.save) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reports.count == 20)
        #expect(reports.allSatisfy { $0.contexts.map(\.isSaved) == [true] })
        #expect(reports.allSatisfy { $0.closingError == nil })
        #expect(try await Self.count(Self.container(directory, "twice")) == 1)
    }

    @Test("Health is that of each store: open, writable, the last save, the readers")
    func health() async throws {
        let first = try #require(container.coordinator.health.first)
        #expect(first.isOpen)
        #expect(first.isWritable)
        #expect(first.lastSave == nil)
        #expect(first.interruptedSaves == 0)
        #expect(first.condition.pools.map(\.name) == ["readers"])
        try await container.write { try Self.add("a", to: $0) }
        let lastSave = try #require(container.coordinator.health.first?.lastSave)
        #expect(lastSave > 1_600_000_000_000_000_000)
        let store = try #require(container.coordinator.stores.first)
        try container.close()
        #expect(store.condition.failure?.code == .closed)
        var reading = StoreDescription(.sqlite, path: directory.file("store"), isReadOnly: true)
        reading.options.maximumReaders = 2
        let readOnly = try PersistentContainer(model: Self.model(), stores: [reading])
        #expect(readOnly.coordinator.health.first?.isWritable == false)
        #expect(readOnly.coordinator.health.first?.isOpen == true)
    }
}

extension UnsavedChanges {
    static let all: [UnsavedChanges] = [.discard, .save]
}
