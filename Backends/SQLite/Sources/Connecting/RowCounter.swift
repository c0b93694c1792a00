import CStrataSQLite

/// Counts the rows that a statement reads: `strata_count(key)` is true for each.
final class RowCounter {
    private(set) var count = 0

    /// Makes the function count here, on a connection.
    func register(on handle: OpaquePointer) {
        // Not deterministic, so that it is called for every row.
        unsafe sqlite3_create_function_v2(
            handle, "strata_count", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(self).toOpaque(),
            { context, _, _ in
                if let counter = unsafe sqlite3_user_data(context) {
                    unsafe Unmanaged<RowCounter>.fromOpaque(counter).takeUnretainedValue().count += 1
                }
                unsafe sqlite3_result_int(context, 1)
            }, nil, nil, { if let counter = unsafe $0 { unsafe Unmanaged<RowCounter>.fromOpaque(counter).release() } })
    }
}
