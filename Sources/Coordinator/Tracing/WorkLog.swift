import Logging
import StrataFiles
import StrataStore
import Synchronization

/// The operations of a coordinator and their durations, for its logger and its observers.
final class WorkLog: Sendable {
    /// The listeners, prepared for operations.
    private final class Listeners: Sendable {
        let instrumentation: StoreInstrumentation
        let hasLogger: Bool
        let observers: [any OperationObserver]
        let roundTripObservers: [any OperationObserver]

        init(_ instrumentation: StoreInstrumentation) {
            self.instrumentation = instrumentation
            hasLogger = instrumentation.logger != nil
            observers = instrumentation.observers
            roundTripObservers = observers.filter(\.observesRoundTrips)
        }
    }

    private let current = Mutex(Listeners(StoreInstrumentation()))
    /// Read by all operations; the listeners only where there are any.
    private let isOn = Atomic<Bool>(false)
    /// The log of the coordinator for which a store is migrated.
    @TaskLocal static var migrating: WorkLog?

    var hasListeners: Bool { isOn.load(ordering: .acquiring) }

    var instrumentation: StoreInstrumentation {
        get { current.withLock { $0 }.instrumentation }
        set {
            let listeners = Listeners(newValue)
            current.withLock { $0 = listeners }
            isOn.store(!newValue.isEmpty, ordering: .releasing)
        }
    }

    /// Runs `body`, and reports the operation, its duration, and its result.
    ///
    /// - Parameters:
    ///   - stores: Returns the stores that take part.
    ///   - count: A closure, as a key path would be made for each call.
    @inline(__always)
    func tracing<T>(
        _ operation: @autoclosure () -> StoreOperation, _ stores: () -> [any PersistentStore], _ count: (T) -> Int?, _ body: () throws -> T
    ) rethrows -> T {
        guard isOn.load(ordering: .acquiring) else { return try body() }
        return try report(operation(), stores, count, body)
    }

    private func report<T>(
        _ operation: StoreOperation, _ stores: () -> [any PersistentStore], _ count: (T) -> Int?, _ body: () throws -> T
    ) rethrows -> T {
        let listeners = current.withLock { $0 }
        let logger = listeners.hasLogger ? listeners.instrumentation.logger(of: operation.area, operation.level) : nil
        let observers = operation.area == .roundTrips ? listeners.roundTripObservers : listeners.observers
        if logger == nil && observers.isEmpty { return try body() }
        let tally = operation.area == .fetches && (logger != nil || observers.contains { $0.countsRows }) ? RowTally() : nil
        let start = Uptime.nanoseconds
        func end(_ resultCount: Int?, _ error: (any Error)?) {
            let (rows, now) = (tally?.count ?? 0, Uptime.nanoseconds)
            let completed = CompletedOperation(
                operation: operation, stores: stores(), nanoseconds: now &- start, end: now, resultCount: resultCount,
                rowsRead: rows > 0 ? rows : nil, error: error)
            if let logger { logger.log(level: operation.level, completed) }
            for observer in observers { observer.didComplete(completed) }
        }
        do {
            let result = try tally.map { try StoreReading.$tally.withValue($0, operation: body) } ?? body()
            end(count(result), nil)
            return result
        } catch {
            end(nil, error)
            throw error
        }
    }

    /// Runs a fetch, and logs its explanation where it took longer than the threshold.
    @inline(__always)
    func noticingSlowness<T>(
        _ plan: FetchPlan, _ explain: () throws -> QueryExplanation, _ body: () throws -> T
    ) rethrows -> T {
        guard isOn.load(ordering: .acquiring), let threshold = instrumentation.slowFetchThreshold else { return try body() }
        let start = ContinuousClock.now
        let result = try body()
        let duration = ContinuousClock.now - start
        if duration >= threshold, let logger = instrumentation.logger(of: .fetches, .warning) {
            var metadata: Logger.Metadata = ["microseconds": "\(duration / .microseconds(1))"]
            if let explanation = try? StoreReading.$tally.withValue(nil, operation: explain) {
                metadata["rows"] = "\(explanation.rowsRead)"
                metadata["store"] = "\(explanation.stores.map { "\($0.type) \($0.id)" }.joined(separator: ", "))"
                metadata["plan"] = "\(explanation.withoutValues)"
            }
            logger.warning("slow \(StoreOperation(plan).phrase)", metadata: metadata)
        }
        return result
    }

    /// Logs that another process or program saved to a store.
    func noteRemoteChanges(_ stores: [SaveEvent.StoreChanges]) {
        guard isOn.load(ordering: .acquiring), let logger = instrumentation.logger(of: .remoteChanges, .debug) else { return }
        for changes in stores {
            logger.debug(
                "remote changes: \(changes.inserted.count) inserted, \(changes.updated.count) updated, \(changes.deleted.count) deleted",
                metadata: ["store": "\(changes.storeID)"])
        }
    }

    /// Logs the beginning of a migration.
    func noteMigration(of store: String, _ versions: String) {
        guard isOn.load(ordering: .acquiring) else { return }
        instrumentation.logger(of: .migrations, .info)?.info("migrate \(store) \(versions)")
    }

    /// Logs a warning of an area.
    func warn(_ area: StoreInstrumentation.Area, _ message: () -> String) {
        guard isOn.load(ordering: .acquiring) else { return }
        instrumentation.logger(of: area, .warning)?.warning("\(message())")
    }
}

extension Logger {
    /// Logs a completed operation, without values of the application's.
    fileprivate func log(level: Logger.Level, _ completed: CompletedOperation) {
        var metadata: Logger.Metadata = ["microseconds": "\((completed.nanoseconds + 500) / 1000)"]
        if !completed.stores.isEmpty {
            metadata["store"] = "\(completed.stores.map { "\($0.type) \($0.path ?? $0.id.rawValue)" }.joined(separator: ", "))"
        }
        if let count = completed.resultCount { metadata["count"] = "\(count)" }
        if let rows = completed.rowsRead { metadata["rows"] = "\(rows)" }
        guard let error = completed.error else { return log(level: level, "\(completed.operation.phrase)", metadata: metadata) }
        metadata["error"] = "\((error as? StoreError)?.code.description ?? "\(type(of: error))")"
        log(level: level, "\(completed.operation.phrase) failed", metadata: metadata)
    }
}
