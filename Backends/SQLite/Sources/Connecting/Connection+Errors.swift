import CStrataSQLite
import StrataStore

extension Connection {
    /// The error of a result code, with what the connection knows about it.
    ///
    /// Some calls answer a code without a word to the connection: the code then speaks for itself, and the files know the system's error.
    func error(_ code: Int32, _ operation: StoreError.Operation) -> StoreError {
        let extended = unsafe sqlite3_extended_errcode(handle)
        let isKnown = extended & 0xFF == code & 0xFF
        let message = unsafe (isKnown ? sqlite3_errmsg(handle) : sqlite3_errstr(code)).map { unsafe String(cString: $0) } ?? "error \(code)"
        let systemError = unsafe isKnown ? sqlite3_system_errno(handle) : 0
        let isAboutFiles = code & 0xFF == SQLITE_IOERR
        let failure = SQLiteFailure(code: isKnown ? extended : code, message: message)
        if let refusal = triggers?.refusal(code: code, message: message) {
            return StoreError(.denied, operation, refusal, path: path, underlying: failure)
        }
        if message.hasPrefix("no such module: ") {
            let module = message.dropFirst("no such module: ".count)
            return StoreError(
                .unsupported, operation, "the SQLite library here was built without \(module), which the store's location indexes take",
                path: path, underlying: failure)
        }
        // What a store is opened with is looked at first: the tables were there.
        if operation != .open, message.hasPrefix("no such column: ") || message.hasPrefix("no such table: ") {
            return StoreError(
                .incompatibleModel, operation,
                "the store's tables are no longer those that it was opened with, as after a migration by another process; open it again",
                path: path, underlying: failure, recovery: .reopen)
        }
        return unsafe StoreError(
            sqlite: failure.code,
            systemError: systemError == 0 && isAboutFiles ? strata_sqlite_file_error(handle) : systemError, message: message,
            operation: operation, path: path)
    }
}
