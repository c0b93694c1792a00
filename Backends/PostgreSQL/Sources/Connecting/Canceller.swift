import CStrataPostgreSQL
import Synchronization

/// Cancels the current statement of a connection, from any thread.
// Unchecked: libpq's handle is thread-safe.
@safe final class Canceller: @unchecked Sendable {
    private let handle: OpaquePointer?
    private let isUsed = Atomic(false)

    init(_ connection: OpaquePointer) { unsafe handle = PQgetCancel(connection) }

    deinit { unsafe PQfreeCancel(handle) }

    /// Whether a statement was cancelled: a late cancellation may hit the next statement.
    var wasUsed: Bool { isUsed.load(ordering: .acquiring) }

    func cancel() {
        isUsed.store(true, ordering: .releasing)
        // The reason of a failure is not needed: the statement ends by itself then.
        var reason = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(handle, &reason, Int32(truncatingIfNeeded: reason.count))
    }
}
