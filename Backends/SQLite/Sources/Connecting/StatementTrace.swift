import CStrataSQLite
import Logging

/// Writes the statements that connections run to a log, with their times.
final class StatementTrace: Sendable {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Installs the trace on a connection, which retains it.
    func listen(on handle: OpaquePointer) {
        if logger.logLevel > .debug { return }
        // The connection retains the trace as long as the handle.
        unsafe sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, nanoseconds in
                guard let context = unsafe context, let statement = unsafe statement, let nanoseconds = unsafe nanoseconds else { return 0 }
                let trace = unsafe Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
                unsafe trace.write(OpaquePointer(statement), nanoseconds: nanoseconds.load(as: Int64.self))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func write(_ statement: OpaquePointer, nanoseconds: Int64) {
        let showsValues = logger.logLevel <= .trace
        guard
            let text = unsafe showsValues ? StatementTrace.expanded(statement) : sqlite3_sql(statement).map({ unsafe String(cString: $0) })
        else { return }
        logger.log(level: showsValues ? .trace : .debug, "\(text)", metadata: ["microseconds": "\(nanoseconds / 1000)"])
    }

    /// Returns a statement's text with its parameters replaced by values; `nil` where it would be too long.
    static func expanded(_ statement: OpaquePointer) -> String? {
        guard let text = unsafe sqlite3_expanded_sql(statement) else { return nil }
        defer { unsafe sqlite3_free(text) }
        return unsafe String(cString: text)
    }
}
