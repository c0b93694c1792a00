import Logging
import Synchronization

/// Where a coordinator writes what it does, and how long it took.
final class WorkLog: Sendable {
    /// What is written.
    enum Work {
        /// What somebody asked for: fetches, saves, batch requests.
        case request
        /// What a context reads as it is used.
        case roundTrip

        var level: Logger.Level { self == .request ? .debug : .trace }
    }

    private let current = Mutex<Logger?>(nil)
    /// Looked at by all work; the logger only where there is one.
    private let isOn = Atomic<Bool>(false)

    var logger: Logger? {
        get { current.withLock { $0 } }
        set {
            current.withLock { $0 = newValue }
            isOn.store(newValue != nil, ordering: .releasing)
        }
    }

    /// Runs `body`, and writes what it was, how long it took, and what came of it.
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
