import Logging
import Synchronization

/// The statements that SQLite runs, as a store logs them.
final class StatementLog: Sendable {
    private struct Handler: LogHandler {
        let log: StatementLog
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { log.texts.withLock { $0.append("\(event.message)") } }
    }

    private let texts = Mutex<[String]>([])

    var statements: [String] { texts.withLock { $0 } }

    /// The statements since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }

    /// Logs to this log.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .debug
        return logger
    }
}
