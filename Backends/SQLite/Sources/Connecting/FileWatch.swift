import CStrataSQLite
import StrataFiles
import StrataStore
import Synchronization

/// Notices that the file of an open database is no longer the one at its path, or was written by other means than SQLite.
///
/// SQLite goes on with the file that it opened, wherever that is now: saves would be acknowledged that nobody finds again. And it would bring
/// the log of the old content into a file that somebody put a backup in. While there is a log, only checkpoints write to the file, and
/// each leaves its trace in the log's index: a file that changed without one was changed by somebody else.
final class FileWatch: Sendable {
    /// The state of the file.
    enum Finding: Equatable {
        case unchanged
        /// No file is at the path.
        case missing
        /// Another file is at the path.
        case replaced
        /// The file has another content.
        case overwritten
        /// The file was cut off.
        case truncated
        /// The file was written by other means than SQLite; whether its content is another cannot be told.
        case touched
    }

    private struct Seen {
        var size: Int
        var modificationTime: Int64
        var log: strata_sqlite_log_state
        var head: [UInt8]
    }

    private let path: String
    let identity: FileIdentity
    private let seen: Mutex<Seen?>

    /// Watches the file of a connection, which has read from it.
    init(_ connection: Connection) {
        path = connection.path
        identity = connection.identity
        seen = Mutex(nil)
        _ = try? look(connection)
    }

    /// Compares the file with what it was the last time: one system call as long as nothing happened.
    ///
    /// - Throws: `FileError` where the file cannot be looked at, which says nothing about it.
    func look(_ connection: Connection) throws(FileError) -> Finding {
        let before = connection.logState()
        let (found, finding) = try locate()
        guard let status = found else { return finding }
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

    /// Looks for the open file at its path.
    ///
    /// - Returns: Its status; `nil` where there is another file, or none, as the finding says.
    private func locate() throws(FileError) -> (status: FileStatus?, finding: Finding) {
        do {
            guard let status = try PosixFileSystem.shared.statusIfPresent(of: path) else { return (nil, .missing) }
            return status.identity == identity ? (status, .unchanged) : (nil, .replaced)
        } catch {
            // A loop of symbolic links is no file.
            if error.isLoop { return (nil, .replaced) }
            throw error
        }
    }

    /// Whether another file is at the path, or none; a path that cannot be looked at says nothing about that.
    var absence: Finding? {
        guard let (status, finding) = try? locate(), status == nil else { return nil }
        return finding
    }

    /// Whether nobody wrote to the log since the last look.
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

    /// The error of a finding.
    static func error(_ finding: Finding, _ path: String, _ operation: StoreError.Operation) -> StoreError {
        let what =
            switch finding {
            case .missing: "the file was removed or moved while the store was open"
            case .replaced: "the file was replaced by another while the store was open"
            case .overwritten: "the file was overwritten while the store was open"
            case .truncated: "the file was truncated while the store was open"
            case .touched, .unchanged: "the file was changed by other means than SQLite while the store was open"
            }
        let code: StoreError.Code =
            switch finding {
            case .missing: .missing
            case .truncated: .corrupt
            default: .replaced
            }
        return StoreError(code, operation, what + "; open the store again", path: path, recovery: .reopen)
    }
}
