#if Operations
    import Logging
    import ServiceLifecycle
    import Strata
    import StrataInMemory
    import StrataOperations
    import StrataTestSupport
    import Testing
    import UnixSignals

    @Suite("The guide to production", .timeLimit(.minutes(60)))
    struct InProductionTests {
        private struct Server: Service {
            func run() async throws {}
        }

        private static func container(
            _ model: ManagedObjectModel, _ stores: [StoreDescription], _ telemetry: StoreTelemetry
        ) throws -> PersistentContainer {
            var logger = Logger(label: "store")
            logger.logLevel = .info
            var instrumentation = StoreInstrumentation(logger: logger, observers: [telemetry])
            instrumentation.logLevels = [.saves: .debug, .fetches: .warning]
            instrumentation.slowFetchThreshold = .milliseconds(50)
            let container = try PersistentContainer(model: model, stores: stores, instrumentation: instrumentation)
            return container
        }

        private static func run(_ container: PersistentContainer, _ telemetry: StoreTelemetry, _ server: Server, _ logger: Logger)
            async throws
        {
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: StoreService(container, telemetry: telemetry)), .init(service: server)],
                    gracefulShutdownSignals: [.sigterm], logger: logger))
            try await group.run()
        }

        private static func end(_ container: PersistentContainer, _ logger: Logger) async {
            let report = await container.shutDown(.save)
            for context in report.lost { logger.error("unsaved changes in \(context.name)") }
        }

        @Test("Its code runs")
        func code() async throws {
            let telemetry = StoreTelemetry()
            let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
            let container = try Self.container(model, [StoreDescription(.inMemory)], telemetry)
            try await container.write { context in
                try context.insert("Note").setValue("a", forKey: "text")
            }
            let count = try await container.read { context in
                try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Note"))
            }
            #expect(count == 1)
            let isReady = container.coordinator.health.allSatisfy { $0.isOpen && $0.isWritable }
            #expect(isReady)
            await Self.end(container, Logger(label: "store"))
            #expect(container.coordinator.health.isEmpty)
        }
    }
#endif
