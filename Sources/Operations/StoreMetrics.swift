#if Operations
    import CoreMetrics
    import Strata
    import Synchronization

    /// The metrics of stores: durations and results of operations, and the pools of connections.
    ///
    /// Used by the thread of the queue alone.
    // Unchecked: its owner calls it on one thread.
    final class StoreMetrics: @unchecked Sendable {
        private struct Operation {
            let duration: CoreMetrics.Timer
            let returned: Recorder
        }

        /// The metrics of a pool of connections.
        private struct Pool {
            let wait, use, creation: CoreMetrics.Timer
            let used, idle, maximum, pending: Meter
            let timeouts: Counter
            /// The timeouts that were counted.
            var countedTimeouts = 0
        }

        private let given: (any MetricsFactory)?
        private var operations: [OperationAttributes: Operation] = [:]
        /// The metrics of the last operation without an error, as most are followed by the same.
        private var last: (kind: StoreOperation.Kind, entity: String?, store: any PersistentStore, metrics: Operation)?
        private var pools: [String: Pool] = [:]
        private var lastPool: (name: String, store: any PersistentStore, pool: Pool)?
        /// The stores with pools, until they are closed.
        ///
        /// Not weak: each retain of a store with weak references takes ten times as long.
        private var stores: [StoreID: any PersistentStore] = [:]
        private var countedDrops = 0

        init(_ factory: (any MetricsFactory)?) { given = factory }

        private var factory: any MetricsFactory { given ?? MetricsSystem.factory }

        /// Whether there is a backend.
        var hasBackend: Bool { !(factory is NOOPMetricsHandler) }

        func record(_ completed: CompletedOperation) {
            let metrics = metrics(of: completed)
            metrics.duration.recordNanoseconds(completed.nanoseconds)
            if let count = completed.resultCount { metrics.returned.record(count) }
        }

        private func metrics(of completed: CompletedOperation) -> Operation {
            let operation = completed.operation
            if completed.error == nil, completed.stores.count == 1, let last, last.kind == operation.kind, last.entity == operation.entity,
                last.store === completed.stores[0]
            {
                return last.metrics
            }
            for store in completed.stores where stores[store.id] !== store && !store.condition.pools.isEmpty { stores[store.id] = store }
            let attributes = OperationAttributes(completed)
            let metrics = operations[attributes] ?? make(attributes)
            if completed.error == nil, completed.stores.count == 1 {
                last = (operation.kind, operation.entity, completed.stores[0], metrics)
            }
            return metrics
        }

        private func make(_ attributes: OperationAttributes) -> Operation {
            let dimensions = attributes.dimensions
            let operation = Operation(
                duration: CoreMetrics.Timer(
                    label: "db.client.operation.duration", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory),
                returned: Recorder(label: "db.client.response.returned_rows", dimensions: dimensions, factory: factory))
            operations[attributes] = operation
            return operation
        }

        func record(_ use: ConnectionUse, of store: any PersistentStore) {
            let pool = lastPool(use.pool, of: store)
            pool.wait.recordNanoseconds(use.wait)
            pool.use.recordNanoseconds(use.use)
            if let creation = use.creation { pool.creation.recordNanoseconds(creation) }
        }

        /// Records the states of the pools of all stores that were used, and the number of dropped records.
        func recordGauges(dropped: Int) {
            // They retain stores.
            (last, lastPool) = (nil, nil)
            for (id, store) in stores {
                let condition = store.condition
                if condition.failure?.code == .closed {
                    stores[id] = nil
                    continue
                }
                for status in condition.pools {
                    let pool = pool(status.name, of: store)
                    pool.used.set(status.used)
                    pool.idle.set(status.idle)
                    pool.maximum.set(status.maximum)
                    pool.pending.set(status.pending)
                    if status.timeouts > pool.countedTimeouts {
                        pool.timeouts.increment(by: status.timeouts - pool.countedTimeouts)
                        pools[key(status.name, of: store)]?.countedTimeouts = status.timeouts
                    }
                }
            }
            if dropped > countedDrops {
                Counter(label: "strata.telemetry.dropped", factory: factory).increment(by: dropped - countedDrops)
                countedDrops = dropped
            }
        }

        private func lastPool(_ name: String, of store: any PersistentStore) -> Pool {
            if let lastPool, lastPool.name == name, lastPool.store === store { return lastPool.pool }
            stores[store.id] = store
            let pool = pool(name, of: store)
            lastPool = (name, store, pool)
            return pool
        }

        private func key(_ pool: String, of store: any PersistentStore) -> String { "\(store.id.rawValue)/\(pool)" }

        private func pool(_ name: String, of store: any PersistentStore) -> Pool {
            let key = key(name, of: store)
            if let known = pools[key] { return known }
            let dimensions = [("db.client.connection.pool.name", key), ("db.system.name", OperationAttributes.system(store.type))]
            func timer(_ label: String) -> CoreMetrics.Timer {
                CoreMetrics.Timer(label: label, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
            }
            func meter(_ label: String, _ more: [(String, String)] = []) -> Meter {
                Meter(label: label, dimensions: dimensions + more, factory: factory)
            }
            let count = "db.client.connection.count"
            let state = "db.client.connection.state"
            let pool = Pool(
                wait: timer("db.client.connection.wait_time"), use: timer("db.client.connection.use_time"),
                creation: timer("db.client.connection.create_time"), used: meter(count, [(state, "used")]),
                idle: meter(count, [(state, "idle")]), maximum: meter("db.client.connection.max"),
                pending: meter("db.client.connection.pending_requests"),
                timeouts: Counter(label: "db.client.connection.timeouts", dimensions: dimensions, factory: factory))
            pools[key] = pool
            return pool
        }
    }
#endif
