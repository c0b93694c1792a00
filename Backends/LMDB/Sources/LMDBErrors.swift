import CStrataLMDB
import StrataPlatform
import StrataStore

/// The status of a failed LMDB call.
struct LMDBStatus: Error, CustomStringConvertible {
    let code: Int32
    let call: String

    var description: String { unsafe "\(call): \(String(cString: mdb_strerror(code))) (\(code))" }

    var isMapFull: Bool { code == MDB_MAP_FULL }

    @inline(__always)
    static func check(_ code: Int32, _ call: StaticString) throws {
        if code != MDB_SUCCESS { throw LMDBStatus(code: code, call: "\(call)") }
    }

    /// Returns whether an entry was found; throws for every other failure.
    @inline(__always)
    static func found(_ code: Int32, _ call: StaticString) throws -> Bool {
        if code == MDB_NOTFOUND { return false }
        try check(code, call)
        return true
    }
}

extension StoreError {
    /// Converts an error of lower layers to a store's error.
    init(_ error: any Error, _ operation: StoreError.Operation, path: String?) {
        switch error {
        case let error as StoreError: self = error
        case let status as LMDBStatus: self = StoreError(status, operation, path: path)
        case let error as FileError: self = StoreError(error, operation, path: path)
        default: self.init(.io, operation, "an unexpected failure", path: path, underlying: error)
        }
    }

    private init(_ status: LMDBStatus, _ operation: StoreError.Operation, path: String?) {
        let (code, recovery): (StoreError.Code, StoreError.Recovery?) =
            switch status.code {
            case MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_BAD_VALSIZE, MDB_PAGE_FULL, MDB_CURSOR_FULL: (.corrupt, nil)
            case MDB_INVALID: (.foreign, nil)
            case MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE: (.unsupportedVersion, nil)
            case MDB_READERS_FULL, MDB_DBS_FULL, MDB_MAP_FULL, MDB_MAP_RESIZED: (.locked, .retryable)
            case MDB_TXN_FULL: (.tooLarge, nil)
            case MDB_PANIC, MDB_BAD_TXN, MDB_BAD_RSLOT, MDB_BAD_DBI: (.closed, .reopen)
            case ENOSPC, EDQUOT, EFBIG: (.full, nil)
            case ENOENT, ENOTDIR: (.missing, nil)
            case EACCES, EPERM, EROFS: (.denied, nil)
            case EAGAIN, EBUSY: (.locked, nil)
            // The lock file has no valid mutex any more.
            case EINVAL where status.call == "mdb_txn_begin": (.closed, .reopen)
            case ENOMEM, EMFILE, ENFILE: (.io, .retryable)
            default: (.io, nil)
            }
        self.init(code, operation, status.description, path: path, underlying: status, recovery: recovery)
    }

    /// Returns the error of malformed content of the file.
    static func damaged(_ what: String, path: String?) -> StoreError { StoreError(.corrupt, .read, what, path: path) }

    /// Returns the error of an LMDB file of another program.
    static func foreign(_ operation: StoreError.Operation, path: String?) -> StoreError {
        StoreError(.foreign, operation, "the LMDB file is no store of Strata's", path: path)
    }

    static func closed(_ operation: StoreError.Operation, path: String?) -> StoreError {
        StoreError(.closed, operation, "the store is closed", path: path)
    }
}

/// Runs `body`, converting errors of lower layers to store errors; those of a query's own functions stay as they are.
func storeErrors<T>(_ operation: StoreError.Operation, path: String?, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error where error is LMDBStatus || error is FileError {
        throw StoreError(error, operation, path: path)
    }
}
