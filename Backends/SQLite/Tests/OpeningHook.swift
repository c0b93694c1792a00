import CStrataSQLite
import Synchronization

/// Runs code of a test whenever SQLite has opened a file.
enum OpeningHook {
    private typealias Entry = @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Int32

    private static let hooks = Mutex<[String: @Sendable () -> Void]>([:])

    private static let isRegistered: Bool = {
        let entry: Entry = { handle, _, _ in
            if let name = sqlite3_db_filename(handle, "main").map({ String(cString: $0) }) { OpeningHook.hooks.withLock { $0[name] }?() }
            return SQLITE_OK
        }
        return sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self)) == SQLITE_OK
    }()

    /// Runs `body` with a hook for the file at a path.
    static func run<T>(_ path: String, _ hook: @escaping @Sendable () -> Void, during body: () throws -> T) rethrows -> T {
        precondition(isRegistered)
        hooks.withLock { $0[path] = hook }
        defer { hooks.withLock { $0[path] = nil } }
        return try body()
    }
}
