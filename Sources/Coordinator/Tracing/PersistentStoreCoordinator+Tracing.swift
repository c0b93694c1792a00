public import Logging
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Where the coordinator writes what it does: with the level `debug` fetches, saves and batch requests, with
    /// `trace` also each round trip for the rows of faults and the destinations of relationships; and with `warning`
    /// loops that ask for one object after the other.
    ///
    /// Each line has the entities, the time in microseconds and how many objects it was about, and none of an
    /// application's values: conditions are left out. `nil`, the default, writes nothing, and costs a look. Statements
    /// of SQLite are written by its driver, see `sqlite(pragmas:pageChecksums:mmapSize:logger:)`.
    ///
    /// ```swift
    /// var logger = Logger(label: "store")
    /// logger.logLevel = .debug
    /// container.coordinator.logger = logger
    /// ```
    public var logger: Logger? {
        get { log.logger }
        set { log.logger = newValue }
    }

    package func warn(_ message: @autoclosure () -> String) { log.logger?.warning("\(message())") }
}

extension FetchPlan {
    var work: String {
        switch result {
        case .rows: "fetch \(entity.name)"
        case .references: "fetch IDs of \(entity.name)"
        case .count: "count \(entity.name)"
        case .groups: "group \(entity.name)"
        case .values: "fetch values of \(entity.name)"
        }
    }
}

extension CoordinatorAnswer {
    /// The number of results.
    var size: Int {
        switch self {
        case .rows(let rows): rows.rows.count
        case .ids(let ids): ids.count
        case .count(let count): count
        case .groups(let groups): groups.count
        case .values(let values): values.count
        }
    }
}

extension SaveChangesRequest {
    var work: String {
        let (inserted, updated, deleted) = parts.reduce((0, 0, 0)) {
            ($0.0 + $1.changes.inserted.count, $0.1 + $1.changes.updated.count, $0.2 + $1.changes.deleted.count)
        }
        return "save \(inserted) inserted, \(updated) updated, \(deleted) deleted"
    }
}

/// The log of a coordinator's operations and their duration.
final class WorkLog: Sendable {
    /// The level of an operation.
    enum Work {
        /// A request: a fetch, a save, or a batch request.
        case request
        /// A read of a context in use.
        case roundTrip

        var level: Logger.Level { self == .request ? .debug : .trace }
    }

    private let current = Mutex<Logger?>(nil)
    /// Read by all operations; the logger only where there is one.
    private let isOn = Atomic<Bool>(false)

    var logger: Logger? {
        get { current.withLock { $0 } }
        set {
            current.withLock { $0 = newValue }
            isOn.store(newValue != nil, ordering: .releasing)
        }
    }

    /// Runs `body`, and logs the operation, its duration, and its result.
    ///
    /// - Parameter count: A closure, as a key path would be made for each call.
    @inline(__always)
    func tracing<T>(
        _ kind: Work, _ work: @autoclosure () -> String, _ count: (T) -> Int?, _ body: () throws -> T
    ) rethrows -> T {
        guard isOn.load(ordering: .acquiring), let logger, logger.logLevel <= kind.level else { return try body() }
        return try write(kind.level, work(), logger, count, body)
    }

    private func write<T>(
        _ level: Logger.Level, _ work: String, _ logger: Logger, _ count: (T) -> Int?, _ body: () throws -> T
    ) rethrows -> T {
        let start = ContinuousClock.now
        func metadata() -> Logger.Metadata {
            let microseconds = (ContinuousClock.now - start) / .microseconds(1)
            return ["microseconds": "\(Int(microseconds.rounded()))"]
        }
        do {
            let result = try body()
            var facts = metadata()
            if let count = count(result) { facts["count"] = "\(count)" }
            logger.log(level: level, "\(work)", metadata: facts)
            return result
        } catch {
            logger.log(level: level, "\(work) failed", metadata: metadata().merging(["error": "\(type(of: error))"]) { $1 })
            throw error
        }
    }
}
