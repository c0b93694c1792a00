#if Operations
    public import Logging
    public import ServiceLifecycle
    public import Strata

    /// A service that ends a container in order when the program shuts down gracefully.
    ///
    /// ```swift
    /// let group = ServiceGroup(
    ///     configuration: .init(
    ///         services: [.init(service: StoreService(container)), .init(service: server)],
    ///         gracefulShutdownSignals: [.sigterm], logger: logger))
    /// try await group.run()
    /// ```
    /// It is the first of its group: services end in the reverse order of their start, so that those before have ended when the stores are
    /// closed. See `PersistentContainer.shutDown(_:)` for the order of the end itself.
    public struct StoreService: Service {
        private let container: PersistentContainer
        private let unsavedChanges: UnsavedChanges
        private let logger: Logger?
        private let telemetry: StoreTelemetry?

        /// Creates a service.
        ///
        /// - Parameters:
        ///   - container: The container, whose stores are open.
        ///   - unsavedChanges: What happens to the unsaved changes of the container's contexts; they are saved by default.
        ///   - logger: Where changes that are lost are reported as errors, and others as notices; `nil` for the coordinator's logger.
        ///   - telemetry: The telemetry that is flushed at the end.
        public init(
            _ container: PersistentContainer, unsavedChanges: UnsavedChanges = .save, logger: Logger? = nil,
            telemetry: StoreTelemetry? = nil
        ) {
            self.container = container
            self.unsavedChanges = unsavedChanges
            self.logger = logger
            self.telemetry = telemetry
        }

        /// Waits for the shutdown, and ends the container; also where the task is cancelled.
        ///
        /// - Throws: The error of the first store that could not be closed.
        public func run() async throws {
            try? await gracefulShutdown()
            let report = await container.shutDown(unsavedChanges)
            let logger = logger ?? container.coordinator.logger
            for context in report.contexts {
                let message: Logger.Message = "\(context.name): unsaved changes of \(context.changedObjects) objects"
                if context.isSaved {
                    logger?.notice("\(message), saved")
                } else {
                    logger?.error("\(message), discarded", metadata: context.error.map { ["error": "\(type(of: $0))"] })
                }
            }
            _ = telemetry?.flush()
            if let error = report.closingError { throw error }
        }
    }
#endif
