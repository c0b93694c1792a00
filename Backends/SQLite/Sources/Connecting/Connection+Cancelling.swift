import CStrataSQLite
import StrataStore

extension Connection {
    /// The number of instructions of SQLite's virtual machine between two checks: well under a millisecond.
    private static let instructionsBetweenChecks: Int32 = 10_000

    /// Runs `body`, whose statements fail once the work of the current task is cancelled.
    ///
    /// - Throws: What `body` throws; `StoreError` with `cancelled` where the cause is the cancellation.
    func whileNotCancelled<T>(_ body: () throws -> T) throws -> T {
        guard let cancellation = StoreCancellation.current else { return try body() }
        // Interrupting from another thread would miss a cancellation between two statements.
        unsafe sqlite3_progress_handler(
            handle, Connection.instructionsBetweenChecks,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<StoreCancellation>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
            }, Unmanaged.passUnretained(cancellation).toOpaque())
        defer {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(cancellation) {}
        }
        do { return try body() } catch let error as StoreError where cancellation.isCancelled {
            throw StoreError(.cancelled, .fetch, "the task that waits for the answer was cancelled", underlying: error)
        }
    }
}
