#if Operations
    import Dispatch
    import Strata
    import StrataFiles
    import StrataPlatform
    import Synchronization
    import Tracing

    /// A store that is not retained.
    final class WeakStore: Sendable {
        let id: StoreID
        weak let store: (any PersistentStore)?

        init(_ store: any PersistentStore) {
            id = store.id
            self.store = store
        }
    }

    /// What was recorded and not yet passed to the backends, up to a limit, and the thread that does.
    final class TelemetryQueue: Sendable {
        /// Something that was recorded.
        enum Record: Sendable {
            /// An operation, the time of its end in nanoseconds since 1970, and the context of its task.
            case operation(CompletedOperation, end: UInt64, ServiceContext?)
            case use(ConnectionUse, WeakStore)
            /// A caller that waits for all records before.
            case flush(DispatchSemaphore)
        }

        private struct State {
            var records: [Record] = []
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
        /// The microseconds from the first record to its delivery, so that the thread is woken once for many.
        private static let delay: UInt32 = 20_000

        init(capacity: Int, gaugeInterval: Double, metrics: StoreMetrics?, spans: StoreSpans?) {
            self.capacity = max(1, capacity)
            self.gaugeInterval = gaugeInterval.isNaN ? 5 : max(0.01, gaugeInterval)
            self.metrics = metrics
            self.spans = spans
        }

        var droppedCount: Int { state.withLock { $0.dropped } }

        func append(_ record: Record) {
            let (wakes, begins) = state.withLock { state in
                guard state.records.count < capacity, !state.hasEnded else {
                    state.dropped += 1
                    return (false, false)
                }
                state.records.append(record)
                defer { (state.isIdle, state.hasThread) = (false, true) }
                return (state.isIdle, !state.hasThread)
            }
            if wakes { wake.signal() }
            // Where no thread is to be had, the next record tries again.
            if begins, !OwnThread.run({ self.run() }) { state.withLock { $0.hasThread = false } }
        }

        func flush(until deadline: Deadline) -> Bool {
            let isOver = DispatchSemaphore(value: 0)
            while true {
                let isAppended = state.withLock { state in
                    let hasRoom = state.records.count < capacity && !state.hasEnded
                    return hasRoom
                }
                if isAppended { break }
                if deadline.remaining <= 0 { return false }
                usleep(1000)
            }
            append(.flush(isOver))
            return isOver.wait(timeout: deadline.dispatchTime) == .success
        }

        /// Ends the thread after what was recorded so far.
        func end() {
            state.withLock { $0.hasEnded = true }
            wake.signal()
        }

        private func run() {
            var lastGauges = DispatchTime.now().uptimeNanoseconds
            while true {
                let isEmpty = state.withLock { state in
                    state.isIdle = state.records.isEmpty && !state.hasEnded
                    return state.isIdle
                }
                if isEmpty { _ = wake.wait(timeout: .now() + gaugeInterval) }
                let hasEnded = state.withLock { state in
                    state.isIdle = false
                    return state.hasEnded
                }
                if !hasEnded && isEmpty { usleep(TelemetryQueue.delay) }
                let records = state.withLock { state in
                    defer { state.records = [] }
                    return state.records
                }
                for record in records { deliver(record) }
                let now = DispatchTime.now().uptimeNanoseconds
                if let metrics, Double(now &- lastGauges) >= gaugeInterval * 1e9 || hasEnded {
                    lastGauges = now
                    metrics.recordGauges(dropped: droppedCount)
                }
                if hasEnded && records.isEmpty { return }
            }
        }

        private func deliver(_ record: Record) {
            switch record {
            case .operation(let operation, let end, let context):
                metrics?.record(operation)
                spans?.record(operation, end: end, context)
            case .use(let use, let store): metrics?.record(use, of: store)
            case .flush(let isOver):
                metrics?.recordGauges(dropped: droppedCount)
                isOver.signal()
            }
        }
    }
#endif
