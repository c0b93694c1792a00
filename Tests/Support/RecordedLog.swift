public import Logging
import Synchronization

/// Keeps what is logged, a line for each event.
public final class RecordedLog: Sendable {
    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = log.format(event)
            log.recorded.withLock { $0.append(line) }
        }
    }

    private let recorded = Mutex<[String]>([])
    private let format: @Sendable (LogEvent) -> String

    /// Creates a log whose lines are the events' messages, or what `format` makes of an event.
    public init(format: @escaping @Sendable (LogEvent) -> String = { "\($0.message)" }) { self.format = format }

    public var lines: [String] { recorded.withLock { $0 } }

    /// Returns the lines since the last call.
    public func take() -> [String] {
        recorded.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Returns a logger that writes to this log from a level on.
    public func logger(_ level: Logger.Level = .debug) -> Logger {
        Logger(label: "test") { _ in Handler(log: self, logLevel: level) }
    }
}
