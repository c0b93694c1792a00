#if Operations
    import Dispatch
    import Strata
    import StrataFiles
    import StrataPlatform
    import Synchronization
    import Tracing

    /// What was recorded and not yet passed to the backends, up to a limit, and the thread that does.
    final class TelemetryQueue: Sendable {
        /// What was recorded, in arrays that are filled again.
        private struct Records {
            /// Operations, with the contexts of their tasks.
            var operations: [(completed: CompletedOperation, context: ServiceContext?)] = []
            /// Uses of connections; like the operations they retain the store until they are delivered.
            var uses: [(use: ConnectionUse, store: any PersistentStore)] = []
            /// Callers that wait for all records before.
            var flushes: [DispatchSemaphore] = []

            var count: Int { operations.count + uses.count }

            mutating func removeAll() {
                // A peak keeps no memory.
                let keeps = count <= 1024
                operations.removeAll(keepingCapacity: keeps)
                uses.removeAll(keepingCapacity: keeps)
                flushes.removeAll()
            }
        }

        private struct State {
            var records = Records()
            var dropped = 0
            /// Whether the thread waits for records.
            var isIdle = false
            var hasThread = false
            var hasEnded = false
        }

        private let state = Mutex(State())
        private let wake = DispatchSemaphore(value: 0)
        private let capacity: Int
        private let gaugeInterval: Double
        private let metrics: StoreMetrics?
        private let spans: StoreSpans?
        /// Whether there are backends, as the thread saw last; until then there may be.
        private let hasMetrics, hasTracer: Atomic<Bool>
        /// The microseconds from the first record to its delivery, so that the thread is woken once for many.
        private static let delay: UInt32 = 20_000

        init(capacity: Int, gaugeInterval: Double, metrics: StoreMetrics?, spans: StoreSpans?) {
            self.capacity = max(1, capacity)
            self.gaugeInterval = gaugeInterval.isNaN ? 5 : max(0.01, gaugeInterval)
            self.metrics = metrics
            self.spans = spans
            hasMetrics = Atomic(metrics != nil)
            hasTracer = Atomic(spans != nil)
        }

        var droppedCount: Int { state.withLock { $0.dropped } }
        var recordsSpans: Bool { hasTracer.load(ordering: .relaxed) }

        /// Adds an operation, with the context of the calling task.
        func append(_ operation: CompletedOperation) {
            let recordsSpans = recordsSpans
            guard recordsSpans || hasMetrics.load(ordering: .relaxed) else { return }
            let context = recordsSpans ? ServiceContext.current : nil
            append { $0.operations.append((operation, context)) }
        }

        func append(_ use: ConnectionUse, of store: any PersistentStore) {
            if hasMetrics.load(ordering: .relaxed) { append { $0.uses.append((use, store)) } }
        }

        @inline(__always)
        private func append(_ add: (inout Records) -> Void) {
            let (wakes, begins) = state.withLock { state in
                guard state.records.count < capacity, !state.hasEnded else {
                    state.dropped += 1
                    return (false, false)
                }
                add(&state.records)
                defer { (state.isIdle, state.hasThread) = (false, true) }
                return (state.isIdle, !state.hasThread)
            }
            if wakes { wake.signal() }
            if begins { begin() }
        }

        private func begin() {
            // Where no thread is to be had, the next record tries again.
            if !OwnThread.run({ self.run() }) { state.withLock { $0.hasThread = false } }
        }

        func flush(until deadline: Deadline) -> Bool {
            let isOver = DispatchSemaphore(value: 0)
            while state.withLock({ $0.records.count >= capacity || $0.hasEnded }) {
                if deadline.remaining <= 0 { return false }
                usleep(1000)
            }
            append { $0.flushes.append(isOver) }
            return isOver.wait(timeout: deadline.dispatchTime) == .success
        }

        /// Ends the thread after what was recorded so far.
        func end() {
            state.withLock { $0.hasEnded = true }
            wake.signal()
        }

        private func run() {
            var lastGauges = Uptime.nanoseconds
            var records = Records()
            while true {
                let isEmpty = state.withLock { state in
                    state.isIdle = state.records.count == 0 && state.records.flushes.isEmpty && !state.hasEnded
                    return state.isIdle
                }
                if isEmpty { _ = wake.wait(timeout: .now() + gaugeInterval) }
                let hasEnded = state.withLock { state in
                    state.isIdle = false
                    return state.hasEnded
                }
                if !hasEnded && isEmpty { usleep(TelemetryQueue.delay) }
                state.withLock { swap(&$0.records, &records) }
                deliver(records)
                let now = Uptime.nanoseconds
                if let metrics, Double(now &- lastGauges) >= gaugeInterval * 1e9 || hasEnded, hasMetrics.load(ordering: .relaxed) {
                    lastGauges = now
                    metrics.recordGauges(dropped: droppedCount)
                }
                if hasEnded && records.count == 0 { return }
                records.removeAll()
            }
        }

        private func deliver(_ records: borrowing Records) {
            let tracer = spans?.backend
            hasTracer.store(tracer != nil, ordering: .relaxed)
            hasMetrics.store(metrics?.hasBackend == true, ordering: .relaxed)
            if let metrics {
                for index in records.operations.indices { metrics.record(records.operations[index].completed) }
                for index in records.uses.indices { metrics.record(records.uses[index].use, of: records.uses[index].store) }
            }
            if let spans, let tracer {
                // The operations have their ends by the clock of durations.
                let wallClock = DefaultTracerClock.now.nanosecondsSinceEpoch &- Uptime.nanoseconds
                for index in records.operations.indices {
                    let (completed, context) = records.operations[index]
                    spans.record(completed, end: wallClock &+ completed.end, context, tracer)
                }
            }
            if records.flushes.isEmpty { return }
            metrics?.recordGauges(dropped: droppedCount)
            for isOver in records.flushes { isOver.signal() }
        }
    }
#endif
