#if Operations
    public import CoreMetrics
    import StrataFiles
    public import Strata
    public import Tracing

    /// Measures the operations of a container's stores, for swift-metrics, and records them as spans, for swift-distributed-tracing.
    ///
    /// ```swift
    /// let telemetry = StoreTelemetry()
    /// let container = try PersistentContainer(
    ///     model: model, stores: stores, instrumentation: StoreInstrumentation(logger: logger, observers: [telemetry]))
    /// ```
    /// Names and attributes are those of OpenTelemetry's semantic conventions for databases; the guide *In production* lists them. A thread of
    /// its own calls the backends: an operation only appends to a bounded queue, so that backends that are slow, or block, never
    /// delay a save or a fetch; records beyond the capacity of the queue are dropped, and counted. Without a backend nothing is recorded;
    /// backends are bootstrapped when the program starts, later ones are noticed within ``Options/gaugeInterval``.
    public final class StoreTelemetry: OperationObserver {
        /// What is measured.
        public struct Options: Sendable {
            /// Whether metrics are recorded.
            public var recordsMetrics = true
            /// Whether spans are recorded.
            public var recordsSpans = true
            /// Whether round trips for the rows of faults and the destinations of relationships are recorded, too; false by default.
            public var observesRoundTrips = false
            /// The maximum number of operations that wait for the backends.
            public var capacity = 8192
            /// The seconds between two recordings of the gauges of connection pools.
            public var gaugeInterval = 5.0

            /// Creates the default options.
            public init() {}
        }

        private let queue: TelemetryQueue
        public let observesRoundTrips: Bool

        /// Creates an observer.
        ///
        /// - Parameters:
        ///   - options: What is measured.
        ///   - metrics: The backend of metrics; `nil` for the one that the program bootstrapped.
        ///   - tracer: The backend of spans; `nil` for the one that the program bootstrapped.
        public init(_ options: Options = Options(), metrics: (any MetricsFactory)? = nil, tracer: (any Tracer)? = nil) {
            observesRoundTrips = options.observesRoundTrips
            queue = TelemetryQueue(
                capacity: options.capacity, gaugeInterval: options.gaugeInterval,
                metrics: options.recordsMetrics ? StoreMetrics(metrics) : nil, spans: options.recordsSpans ? StoreSpans(tracer) : nil)
        }

        deinit { queue.end() }

        public var countsRows: Bool { queue.recordsSpans }

        public func didComplete(_ operation: CompletedOperation) { queue.append(operation) }

        public func didUse(_ connection: ConnectionUse, of store: any PersistentStore) { queue.append(connection, of: store) }

        /// The number of operations and uses of connections that were dropped, as the queue was full.
        public var droppedCount: Int { queue.droppedCount }

        /// Waits until the backends have everything that was recorded before, and the gauges of now; called before a program ends.
        ///
        /// - Parameter seconds: The maximum wait.
        /// - Returns: Whether they have.
        public func flush(within seconds: Double = 5) -> Bool { queue.flush(until: Deadline(after: seconds)) }
    }
#endif
