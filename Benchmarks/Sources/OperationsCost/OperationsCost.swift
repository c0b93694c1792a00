import CoreMetrics
import Dispatch
import Strata
import StrataInMemory
import StrataLMDB
import StrataOperations
import StrataSQLite
import Synchronization
import Tracing

/// One kind of work, repeated with or without metrics and spans, for the script `Scripts/operations`, which counts the instructions.
@main
struct OperationsCost {
    private static let rows = 1000

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let listeners = Listeners(rawValue: arguments[1]), let count = Int(arguments[3]) else {
            throw Usage.text("OperationsCost off|unused|metrics|spans save|key|rows COUNT [sqlite|lmdb PATH]")
        }
        // The allocator takes a shorter way in a process with one thread, as no program in production is.
        let end = DispatchSemaphore(value: 0)
        DispatchQueue(label: "other").async { end.wait() }
        defer { end.signal() }
        let telemetry = listeners.telemetry()
        let instrumentation = StoreInstrumentation(observers: telemetry.map { [$0] } ?? [])
        let store =
            switch arguments.count > 5 ? arguments[4] : "" {
            case "sqlite": StoreDescription(.sqlite, path: arguments[5])
            case "lmdb": StoreDescription(.lmdb, path: arguments[5])
            default: StoreDescription(.inMemory)
            }
        let container = try PersistentContainer(model: try model(), stores: [store], instrumentation: instrumentation)
        try insert(rows, into: container)
        for number in 0..<count { try work(arguments[2], number, container) }
        _ = telemetry?.flush()
        print("\(CountedCalls.count.load(ordering: .relaxed)) calls of the backends, \(telemetry?.droppedCount ?? 0) records dropped")
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note", class: ManagedObject.self) {
                Attribute("text", .string)
                Attribute("number", .integer64)
                FetchIndex("byNumber", on: "number")
            }
        }
    }

    private static func insert(_ count: Int, into container: PersistentContainer) throws {
        let context = container.newContext(isolation: nil)
        for number in 0..<count {
            let note = try context.insert("Note")
            try note.setValue("note \(number)", forKey: "text")
            try note.setValue(number, forKey: "number")
        }
        try context.save()
    }

    private static func work(_ name: String, _ number: Int, _ container: PersistentContainer) throws {
        switch name {
        case "save": try insert(1, into: container)
        case "key":
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Note", key("number") == number % rows)
            _ = try container.newContext(isolation: nil).fetch(request).count
        default:
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Note", key("number") < rows)
            _ = try container.newContext(isolation: nil).fetch(request).count
        }
    }
}

private enum Usage: Error {
    case text(String)
}

/// What listens to the operations.
private enum Listeners: String {
    case off
    /// Telemetry in a program without backends.
    case unused
    case metrics
    /// Metrics and spans.
    case spans

    func telemetry() -> StoreTelemetry? {
        if self == .off { return nil }
        if self != .unused { MetricsSystem.bootstrap(CountingMetrics()) }
        if self == .spans { InstrumentationSystem.bootstrap(CountingTracer()) }
        return StoreTelemetry()
    }
}

private enum CountedCalls {
    static let count = Atomic(0)

    static func add() { count.add(1, ordering: .relaxed) }
}

/// A backend that adds to one counter.
private struct CountingMetrics: MetricsFactory {
    final class Handler: CounterHandler, RecorderHandler, TimerHandler, MeterHandler {
        func increment(by amount: Int64) { CountedCalls.add() }
        func increment(by amount: Double) { CountedCalls.add() }
        func decrement(by amount: Double) { CountedCalls.add() }
        func reset() {}
        func record(_ value: Int64) { CountedCalls.add() }
        func record(_ value: Double) { CountedCalls.add() }
        func recordNanoseconds(_ duration: Int64) { CountedCalls.add() }
        func set(_ value: Int64) { CountedCalls.add() }
        func set(_ value: Double) { CountedCalls.add() }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Handler() }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Handler() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { Handler() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Handler() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// A backend that counts spans, none of which is sampled.
private struct CountingTracer: Tracer {
    struct Span: Tracing.Span {
        let context: ServiceContext
        var operationName: String {
            get { "" }
            nonmutating set {}
        }
        var attributes: SpanAttributes {
            get { [:] }
            nonmutating set {}
        }
        var isRecording: Bool { false }
        func setStatus(_ status: SpanStatus) {}
        func addEvent(_ event: SpanEvent) {}
        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}
        func addLink(_ link: SpanLink) {}
        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { CountedCalls.add() }
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind, at instant: @autoclosure () -> Instant,
        function: String, file fileID: String, line: UInt
    ) -> Span { Span(context: context()) }
    func forceFlush() {}
    func extract<Carrier, Extract: Extractor>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract.Carrier == Carrier {}
    func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier {}
}
