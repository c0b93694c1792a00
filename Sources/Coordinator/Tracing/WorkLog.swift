import Logging
import Synchronization

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
