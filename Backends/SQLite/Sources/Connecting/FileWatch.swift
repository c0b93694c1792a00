import CStrataSQLite
import StrataStore
import Synchronization

/// Detects that the file of an open database, its write-ahead log or the log's index is no longer the one at its path, or that another
/// program than SQLite wrote to the file.
///
/// SQLite continues with the files that it opened, wherever they are now: saves would be acknowledged and then lost,
/// and the old log would be checkpointed into a restored backup. With a log, only checkpoints write to the file, and
/// each changes the log's index: another program wrote to a file that changed without that.
final class FileWatch: Sendable {
    /// The state of the file.
    enum Finding: Equatable {
        case unchanged
        /// No file is at the path.
        case missing
        /// Another file is at the path.
        case replaced
        /// The log, or its index, is no longer at its path.
        case logReplaced
        /// The file has another content.
        case overwritten
        /// The file was truncated.
        case truncated
        /// Another program than SQLite wrote to the file; its content may be the same.
        case touched
    }

    /// A file that SQLite keeps beside the database while it is open.
    private struct Companion {
        let path: String
        /// The identity of the open file; `nil` where it was deleted before the first check.
        let identity: FileIdentity?

        /// Returns the status of the file at its path.
        init(_ path: String) {
            self.path = path
            identity = try? PosixFileSystem.shared.statusIfPresent(of: path)?.identity
        }

        func status() throws(FileError) -> FileStatus? { try PosixFileSystem.shared.statusIfPresent(of: path) }
    }

    private struct Seen {
        var size: Int
        var modificationTime: Int64
        var log: strata_sqlite_log_state
        var head: [UInt8]
    }

    private let path: String
    let identity: FileIdentity
    /// The log and its index; `nil` where the database has none.
    ///
    /// SQLite removes them when the last connection of all processes closes. Without a common index, processes would
    /// write to one log at once.
    private let log: (file: Companion, index: Companion)?
    private let seen: Mutex<Seen?>

    /// Watches the file of a connection, which has read from it.
    init(_ connection: Connection) {
        path = connection.path
        identity = connection.identity
        log = connection.logState() == nil ? nil : (Companion(path + "-wal"), Companion(path + "-shm"))
        seen = Mutex(nil)
        _ = try? look(connection)
    }

    /// Compares the file with its last known state: one system call per file while nothing has changed.
    ///
    /// - Parameter isCommitted: Whether a commit was made since the log was found at its path; it is not checked again
    ///   then, as a log that is removed during a save is lost like one that is removed after it.
    /// - Throws: `FileError` where the status cannot be read, which is no finding.
    func look(_ connection: Connection, isCommitted: Bool = false) throws(FileError) -> Finding {
        let before = connection.logState()
        let (found, finding) = try locate()
        guard let status = found else { return finding }
        if !isCommitted, try !isLogUnchanged() { return .logReplaced }
        return seen.withLock { seen in
            guard let before, let after = connection.logState() else { return .unchanged }
            guard let last = seen else {
                seen = Seen(size: status.size, modificationTime: status.modified, log: before, head: head())
                return .unchanged
            }
            if status.size == last.size && status.modified == last.modificationTime {
                seen?.log = before
                return .unchanged
            }
            let head = head()
            guard FileWatch.explains(last.log, after) else {
                return head != last.head ? .overwritten : status.size < last.size ? .truncated : .touched
            }
            seen = Seen(size: status.size, modificationTime: status.modified, log: before, head: head)
            return .unchanged
        }
    }

    /// The size of the file at the last check; `nil` for a database without a log.
    var size: Int? { seen.withLock { $0?.size } }

    /// Checks whether the open file is at its path.
    ///
    /// - Returns: Its status; `nil` where there is another file, or none, as the finding says.
    private func locate() throws(FileError) -> (status: FileStatus?, finding: Finding) {
        do {
            guard let status = try PosixFileSystem.shared.statusIfPresent(of: path) else { return (nil, .missing) }
            return status.identity == identity ? (status, .unchanged) : (nil, .replaced)
        } catch {
            // A loop of symbolic links contains no file.
            if error.isLoop { return (nil, .replaced) }
            throw error
        }
    }

    private func isLogUnchanged() throws(FileError) -> Bool {
        guard let log else { return true }
        guard let file = try log.file.status(), file.identity == log.file.identity else { return false }
        guard let index = try log.index.status() else { return false }
        return index.identity == log.index.identity
    }

    /// Whether no other process has opened the database with a log, or an index, of its own.
    ///
    /// A process that opens it creates both. A connection of this process creates an empty log, and shares the index.
    var isLogAlone: Bool {
        guard let log else { return false }
        do {
            let (file, index) = (try log.file.status(), try log.index.status())
            return (file == nil || file?.size == 0 || file?.identity == log.file.identity)
                && (index == nil || index?.identity == log.index.identity)
        } catch { return false }
    }

    /// The finding where the file or its log is not at its path; `nil` where a status cannot be read.
    var absence: Finding? {
        guard let (status, finding) = try? locate() else { return nil }
        if status == nil { return finding }
        return (try? isLogUnchanged()) == false ? .logReplaced : nil
    }

    /// Whether the log has not changed since the last check.
    func hasSameLog(_ connection: Connection) -> Bool {
        guard let last = seen.withLock({ $0?.log }), let now = connection.logState() else { return false }
        return now.change == last.change && now.frames == last.frames && now.salt == last.salt
    }

    /// Whether a checkpoint ran, or runs, since an earlier state of the log.
    private static func explains(_ earlier: strata_sqlite_log_state, _ now: strata_sqlite_log_state) -> Bool {
        now.salt != earlier.salt || now.backfilled != earlier.backfilled || now.attempted != earlier.attempted
            || now.attempted != now.backfilled
    }

    /// SQLite's header: its counters, the number of pages, the schema's version.
    private func head() -> [UInt8] { (try? PosixFileSystem.shared.beginning(of: path, count: 100)) ?? [] }

    static func error(_ finding: Finding, _ path: String, _ operation: StoreError.Operation) -> StoreError {
        let what =
            switch finding {
            case .missing: "the file was removed or moved while the store was open"
            case .replaced: "the file was replaced by another while the store was open"
            case .logReplaced: "the write-ahead log was removed or replaced while the store was open"
            case .overwritten: "the file was overwritten while the store was open"
            case .truncated: "the file was truncated while the store was open"
            case .touched, .unchanged: "the file was changed by other means than SQLite while the store was open"
            }
        let code: StoreError.Code = finding == .missing ? .missing : finding == .truncated ? .corrupt : .replaced
        return StoreError(code, operation, what + "; open the store again", path: path, recovery: .reopen)
    }
}
