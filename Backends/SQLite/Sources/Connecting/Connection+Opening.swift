import CStrataSQLite
import StrataStore

extension Connection {
    /// Opens a file, and checks that it is the registered one.
    static func open(_ path: String, _ mode: Mode) throws -> OpenedDatabase {
        startLibrary()
        let system = PosixFileSystem.shared
        for _ in 0..<8 {
            do {
                if case .readWrite(creating: true) = mode { try system.open(path, .create(permissions: 0o644)).close() }
                let hold = try OpenDatabases.hold(path, companions: [path + "-shm"])
                let handle = try unsafe openHandle(path, mode)
                if try system.statusIfPresent(of: path)?.identity == hold.identity { return unsafe OpenedDatabase(handle, hold) }
                unsafe sqlite3_close_v2(handle)
            } catch let error as FileError { throw StoreError(error, .open, path: path) }
        }
        throw StoreError(.locked, .open, "the file is being replaced", path: path)
    }

    private static func openHandle(_ path: String, _ mode: Mode) throws -> OpaquePointer {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // A relative name that begins like a URI or with a colon has a meaning of its own to SQLite.
        var name = path.hasPrefix("/") ? path : "./" + path
        switch mode {
        case .readWrite, .query: flags |= SQLITE_OPEN_READWRITE
        case .read: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = immutableURI(path)
        }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &handle, flags, strata_sqlite_file_system)
        if code == SQLITE_OK, let handle = unsafe handle { return unsafe handle }
        defer { unsafe sqlite3_close_v2(handle) }
        // Out of memory, the handle is nil.
        throw unsafe StoreError(
            sqlite: code, systemError: sqlite3_system_errno(handle), message: String(cString: sqlite3_errmsg(handle)), operation: .open,
            path: path)
    }

    private static let libraryStarted: Bool = {
        strata_sqlite_disable_statistics()
        return sqlite3_initialize() == SQLITE_OK && strata_sqlite_register_file_system() == SQLITE_OK
    }()

    /// Initializes the library, before any other use of it.
    static func startLibrary() { _ = libraryStarted }

    private static func immutableURI(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            // Characters with a meaning in a URI; SQLite takes all others literally.
            case "%", "?", "#": uri += "%" + String(scalar.value, radix: 16)
            default: uri.unicodeScalars.append(scalar)
            }
        }
        return uri + "?immutable=1"
    }
}
