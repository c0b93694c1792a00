#if Operations
    import CoreMetrics
    import Dispatch
    import InMemoryTracing
    import Logging
    import MetricsTestKit
    import ServiceLifecycle
    import ServiceLifecycleTestKit
    import Strata
    import StrataInMemory
    import StrataOperations
    import StrataPlatform
    import StrataSQLite
    import StrataTestSupport
    import Synchronization
    import Testing
    import Tracing

    @Suite("Metrics and spans of stores", .timeLimit(.minutes(60)))
    struct TelemetryTests {
        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        private static func model() throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Note") {
                    Attribute("text", .string)
                    Unique("text")
                }
            }
        }

        private func container(_ telemetry: StoreTelemetry, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> PersistentContainer
        {
            var store = StoreDescription(.sqlite, path: directory.file("store"))
            change(&store.options)
            return try PersistentContainer(
                model: Self.model(), stores: [store], instrumentation: StoreInstrumentation(observers: [telemetry]))
        }

        private static let notes = ObjectFetchRequest<ManagedObject>(entityName: "Note")

        private static func add(_ texts: String..., to context: ManagedObjectContext) throws {
            for text in texts { try context.insert("Note").setValue(text, forKey: "text") }
        }

        /// The labels of an operation's metrics.
        private static func labels(_ operation: String, _ entity: String? = nil, _ error: String? = nil) -> [(String, String)] {
            [("db.system.name", "sqlite"), ("db.operation.name", operation)] + (entity.map { [("db.collection.name", $0)] } ?? [])
                + (error.map { [("error.type", $0)] } ?? [])
        }

        @Test("Each operation is measured once under the conventions' names, with its results and its error")
        func operations() async throws {
            let metrics = TestMetrics()
            let telemetry = StoreTelemetry(metrics: metrics)
            let container = try container(telemetry)
            try await container.write { try Self.add("a", "b", "c", to: $0) }
            for _ in 0..<5 {
                let count = try await container.read { try $0.fetch(Self.notes).count }
                #expect(count == 3)
            }
            _ = try await container.read { try $0.count(for: Self.notes) }
            await #expect(throws: (any Error).self) { try await container.write { try Self.add("a", to: $0) } }
            #expect(telemetry.flush(within: 60))
            let duration = "db.client.operation.duration"
            #expect(try metrics.expectTimer(duration, Self.labels("save")).values.count == 1)
            #expect(try metrics.expectTimer(duration, Self.labels("fetch", "Note")).values.count == 5)
            #expect(try metrics.expectTimer(duration, Self.labels("count", "Note")).values.count == 1)
            #expect(try metrics.expectTimer(duration, Self.labels("save", nil, "conflict")).values.count == 1)
            let returned = try metrics.expectRecorder("db.client.response.returned_rows", Self.labels("fetch", "Note"))
            #expect(returned.values == [3, 3, 3, 3, 3])
            #expect(telemetry.droppedCount == 0)
        }

        @Test("The pool of readers is measured by gauges, timers of waits and uses, and a counter of timeouts")
        func pools() async throws {
            let metrics = TestMetrics()
            let telemetry = StoreTelemetry(metrics: metrics)
            let container = try container(telemetry) { ($0.maximumReaders, $0.connectionTimeout) = (1, 0.02) }
            let name = try #require(container.coordinator.stores.first).id.rawValue + "/readers"
            let labels = [("db.client.connection.pool.name", name), ("db.system.name", "sqlite")]
            try await container.write { try Self.add("a", to: $0) }
            let isFull = await #expect(throws: StoreError.self) {
                try await container.read { context in
                    _ = try context.count(for: Self.notes)
                    #expect(telemetry.flush(within: 60))
                    #expect(
                        try metrics.expectMeter("db.client.connection.count", labels + [("db.client.connection.state", "used")]).lastValue
                            == 1)
                    // On another thread: this one would not wait for itself.
                    let other = container.newBackgroundContext()
                    let result = Mutex<Result<Int, any Error>?>(nil)
                    let end = DispatchSemaphore(value: 0)
                    DispatchQueue(label: "other").async {
                        result.withLock { $0 = Result { try other.performAndWait { try $0.count(for: Self.notes) } } }
                        end.signal()
                    }
                    end.wait()
                    return try result.withLock { $0 }?.get()
                }
            }
            #expect(isFull?.code == .busy)
            #expect(telemetry.flush(within: 60))
            #expect(try metrics.expectMeter("db.client.connection.count", labels + [("db.client.connection.state", "used")]).lastValue == 0)
            #expect(try metrics.expectMeter("db.client.connection.count", labels + [("db.client.connection.state", "idle")]).lastValue == 1)
            #expect(try metrics.expectMeter("db.client.connection.max", labels).lastValue == 1)
            #expect(try metrics.expectMeter("db.client.connection.pending_requests", labels).lastValue == 0)
            #expect(try metrics.expectCounter("db.client.connection.timeouts", labels).totalValue == 1)
            let uses = try metrics.expectTimer("db.client.connection.use_time", labels).values.count
            #expect(uses >= 1)
            #expect(try metrics.expectTimer("db.client.connection.wait_time", labels).values.count == uses)
        }

        @Test("Each operation is a span of the calling task's span, with the conventions' attributes")
        func spans() async throws {
            let tracer = InMemoryTracer()
            let telemetry = StoreTelemetry(metrics: TestMetrics(), tracer: tracer)
            let container = try container(telemetry)
            try await tracer.withSpan("request") { _ in
                try await container.write { try Self.add("a", "b", to: $0) }
                _ = try await container.read { try $0.fetch(Self.notes).count }
                await #expect(throws: (any Error).self) { try await container.write { try Self.add("a", to: $0) } }
            }
            #expect(telemetry.flush(within: 60))
            let spans = tracer.finishedSpans
            let request = try #require(spans.first { $0.operationName == "request" })
            let own = spans.filter { $0.operationName != "request" }
            #expect(own.map(\.operationName) == ["save", "fetch Note", "save"])
            for span in own {
                #expect(span.kind == .client)
                #expect(span.traceID == request.traceID)
                #expect(span.parentSpanID == request.spanID)
                #expect(span.startInstant.nanosecondsSinceEpoch <= span.endInstant.nanosecondsSinceEpoch)
                #expect(span.startInstant.nanosecondsSinceEpoch >= request.startInstant.nanosecondsSinceEpoch)
                #expect(span.attributes.get("db.system.name") == .string("sqlite"))
            }
            #expect(own[0].attributes.get("db.operation.batch.size") == .int64(2))
            #expect(own[1].attributes.get("db.collection.name") == .string("Note"))
            #expect(own[1].attributes.get("db.response.returned_rows") == .int64(2))
            #expect(own[1].attributes.get("strata.rows_read") == .int64(2))
            #expect(own[2].attributes.get("error.type") == .string("conflict"))
            #expect(own[2].status?.code == .error)
        }

        @Test("Spans and metrics are as many as the observer counts, from many tasks at once")
        func manyTasks() async throws {
            let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
            let telemetry = StoreTelemetry(metrics: metrics, tracer: tracer)
            let container = try container(telemetry)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await container.write { try Self.add("\(number)", to: $0) }
                        _ = try await container.read { try $0.fetch(Self.notes).count }
                    }
                }
                try await group.waitForAll()
            }
            #expect(telemetry.flush(within: 60))
            #expect(try metrics.expectTimer("db.client.operation.duration", Self.labels("save")).values.count == 100)
            #expect(try metrics.expectTimer("db.client.operation.duration", Self.labels("fetch", "Note")).values.count == 100)
            #expect(tracer.finishedSpans.count == 200)
        }

        /// A backend that blocks at its first metric.
        private final class BlockingMetrics: MetricsFactory {
            let gate = DispatchSemaphore(value: 0)
            func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { block() }
            func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { block() }
            func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { block() }
            func destroyCounter(_ handler: any CounterHandler) {}
            func destroyRecorder(_ handler: any RecorderHandler) {}
            func destroyTimer(_ handler: any TimerHandler) {}
            private func block() -> NOOPMetricsHandler {
                gate.wait()
                gate.signal()
                return NOOPMetricsHandler.instance
            }
        }

        @Test("A backend that blocks stops neither saves nor fetches; what has no room is dropped and counted")
        func blocking() async throws {
            let metrics = BlockingMetrics()
            var options = StoreTelemetry.Options()
            options.capacity = 50
            let telemetry = StoreTelemetry(options, metrics: metrics)
            let container = try container(telemetry)
            for number in 0..<100 { try await container.write { try Self.add("\(number)", to: $0) } }
            #expect(try await container.read { try $0.count(for: Self.notes) } == 100)
            #expect(telemetry.droppedCount > 0)
            #expect(!telemetry.flush(within: 0.01))
            try container.close()
            metrics.gate.signal()
            #expect(telemetry.flush(within: 60))
        }

        @Test(
            "A service that is shut down gracefully saves or reports unsaved changes, closes the stores and ends", arguments: [true, false])
        func service(_ saves: Bool) async throws {
            let telemetry = StoreTelemetry(metrics: TestMetrics())
            let container = try container(telemetry)
            let background = container.newBackgroundContext()
            try await background.perform { try Self.add("unsaved", to: $0) }
            let log = RecordedLog { "\($0.level) \($0.message)" }
            let logger = log.logger()
            let service = StoreService(
                container, unsavedChanges: saves ? .save : .discard, logger: logger, telemetry: telemetry)
            try await testGracefulShutdown { trigger in
                async let running: Void = service.run()
                trigger.triggerGracefulShutdown()
                try await running
            }
            #expect(container.coordinator.health.isEmpty)
            let end = saves ? "notice: 1 objects, saved" : "error: 1 objects, discarded"
            #expect(log.lines == [end.replacing(": ", with: " Strata background context: unsaved changes of ")])
            let again = try PersistentContainer(model: Self.model(), stores: [StoreDescription(.sqlite, path: directory.file("store"))])
            #expect(try await again.read { try $0.count(for: Self.notes) } == (saves ? 1 : 0))
        }

        @Test("A service whose task is cancelled closes the stores, too")
        func cancelledService() async throws {
            let container = try container(StoreTelemetry(metrics: TestMetrics()))
            let task = Task { try await StoreService(container).run() }
            task.cancel()
            try await task.value
            #expect(container.coordinator.health.isEmpty)
        }
    }
#endif
