import CStrataSQLite
public import FoundationEssentials
import StrataPlatform
import StrataStore

/// An error of the SQLite library, as the cause of a store error.
public struct SQLiteFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code.
    public let code: Int32
    /// The library's message, in English.
    public let message: String

    /// Whether SQLite could not create or open its companion files.
    var isAboutFilesBeside: Bool {
        code & 0xFF == SQLITE_CANTOPEN || code & 0xFF == SQLITE_READONLY || code == SQLITE_IOERR | 18 << 8 || code == SQLITE_IOERR | 19 << 8
    }

    /// Whether the disk was full during a write.
    var isAboutWriting: Bool { code & 0xFF == SQLITE_FULL }

    /// Whether a statement may have exceeded one of SQLite's limits.
    var isAboutLimits: Bool { code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_TOOBIG }

    /// Whether a constraint refused a row.
    var isConstraint: Bool { SQLiteFailure.isConstraint(code) }

    /// Whether a result code means that a unique index, or the primary key, refused a row.
    static func isConstraint(_ code: Int32) -> Bool { code & 0xFF == SQLITE_CONSTRAINT }

    /// Whether the core can do what a statement failed to do, or reports more details: limits, values that do not fit, constraints.
    var isLeftToCore: Bool { isAboutLimits || isConstraint }

    public var description: String { "SQLite \(code): \(message)" }

    /// Returns the result code of a page that the system could not read, in the report of an integrity check; `nil` for an error of the
    /// file.
    static func codeOfUnreadPage(in report: String) -> Int32? {
        report.split(separator: "\n").lazy.filter { $0.contains("unable to get the page") }
            .compactMap { $0.split(separator: "=").last.flatMap { Int32($0) } }
            .first { code in
                // A wrong checksum and a truncated file are errors of the file.
                let isAboutFile = code == PageChecksums.mismatch || code == SQLITE_IOERR | 2 << 8
                return code & 0xFF == SQLITE_NOMEM || code & 0xFF == SQLITE_IOERR && !isAboutFile
            }
    }
}

extension SQLiteFailure: LocalizedError {
    /// The code and the library's text.
    public var errorDescription: String? { description }
    // The domain and the code of the `NSError`, which have public names in Foundation only, not in FoundationEssentials.
    public var _domain: String { "NSSQLiteErrorDomain" }
    public var _code: Int { Int(code) }
}

extension StoreError {
    /// Whether the cause is the journal of an interrupted transaction.
    var isAboutHotJournal: Bool { (underlying as? SQLiteFailure)?.code == SQLITE_READONLY | 3 << 8 }

    /// Whether the cause is a limit of SQLite.
    var isAboutLimits: Bool { (underlying as? SQLiteFailure)?.isAboutLimits ?? false }

    /// Whether SQLite rejects the rest of the header, although the file begins with SQLite's signature.
    var isAboutHead: Bool { (underlying as? SQLiteFailure).map { $0.code & 0xFF == SQLITE_NOTADB } ?? false }

    /// The store error for a result code.
    init(sqlite code: Int32, systemError: Int32, message: String, operation: StoreError.Operation, path: String) {
        let failure = SQLiteFailure(code: code, message: message)
        let system = FileError(.open, path: path, code: systemError)
        // SQLite then looks for a companion file that it cannot create, whose absence is not the cause.
        let isThere = unsafe access(path, F_OK) == 0
        let isBeside = code & 0xFF == SQLITE_CANTOPEN && system.isMissing && isThere
        let (kind, recovery): (Code, Recovery?) =
            switch code & 0xFF {
            case SQLITE_FULL: (.full, nil)
            case SQLITE_IOERR where code == PageChecksums.mismatch: (.corrupt, nil)
            case SQLITE_IOERR where system.isFull: (.full, nil)
            case SQLITE_NOMEM: (.io, .retryable)
            case SQLITE_CORRUPT: (.corrupt, nil)
            case SQLITE_NOTADB: (.foreign, nil)
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: (.locked, .retryable)
            // Stores that were opened read-only refuse writes themselves.
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: (.denied, nil)
            case SQLITE_CANTOPEN where system.isDenied || isBeside: (.denied, nil)
            case SQLITE_CANTOPEN where system.isMissing: (.missing, nil)
            case SQLITE_IOERR, SQLITE_CANTOPEN: (.io, system.isExhausted ? .retryable : nil)
            case SQLITE_TOOBIG: (.tooLarge, nil)
            case SQLITE_CONSTRAINT: (.constraint, nil)
            // Statements are compiled for the schema as of opening the store: if they do not fit, another program changed it.
            case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH: (.corrupt, nil)
            default: (.io, nil)
            }
        let text =
            if code == PageChecksums.mismatch {
                "checksum mismatch in a page of the database"
            } else if isBeside {
                message + ": a file beside the database, which may not be made"
            } else if systemError == 0 || kind == .locked {
                message
            } else { unsafe message + ": " + String(cString: strerror(systemError)) }
        self.init(kind, operation, text, path: path, underlying: failure, recovery: recovery)
    }
}

extension StoreError.Operation {
    static var prepare: StoreError.Operation { StoreError.Operation(rawValue: "prepare") }
    static var bind: StoreError.Operation { StoreError.Operation(rawValue: "bind") }
}

extension Connection {
    /// Returns the error for a result code, with the connection's message.
    ///
    /// Some calls return a code without setting a message: then the code's text is used, and the system's error from the files.
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
        // During opening, a missing table is checked for in advance.
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
