import CStrataSQLite
import StrataEngine
import StrataFiles
import StrataStore

/// Removes the files of external values that no row names any more, once no process reads a state in which one does.
///
/// Who reads what can be seen in the index of the log, which all processes share. Without a log a commit waits for all readers to end.
final class ExternalCollector: Sendable {
    private let directory: ExternalDataDirectory
    private let isDurable: Bool
    private let garbage: ExternalGarbage<LogPosition>

    /// The position of a commit in the log.
    struct LogPosition: Sendable {
        let log: UInt64
        let frame: UInt32
    }

    init(_ directory: ExternalDataDirectory, isDurable: Bool) {
        self.directory = directory
        self.isDurable = isDurable
        garbage = ExternalGarbage(directory)
    }

    /// Takes note of files that the commit just made no longer names, and removes those that all readers know to be dropped.
    func collect(_ dropped: [String], after connection: Connection) {
        if dropped.isEmpty && garbage.isEmpty { return }
        let readers = LogReaders(connection)
        garbage.add(dropped, since: readers.newest)
        // What a loss of power could bring back may not lack its files.
        if !isDurable { unsafe strata_sqlite_synchronize_log(connection.handle) }
        garbage.remove(where: readers.see)
    }

    /// Removes what an interrupted save left behind; does nothing while somebody writes, or reads an older state.
    func removeUnnamed(_ connection: Connection) throws {
        if try directory.ownedNames().isEmpty { return }
        try connection.withoutWaiting { try connection.execute("BEGIN IMMEDIATE", .open) }
        defer { try? connection.execute("ROLLBACK", .open) }
        try ExternalStorage.removeUnnamed(in: directory) { strike in
            let readers = LogReaders(connection)
            guard readers.see(readers.newest) else {
                throw StoreError(.locked, .open, "an older state is being read", path: connection.path)
            }
            try ExternalNames.forEach(connection, .open, strike)
        }
    }

    /// Who reads how much of a log, at a moment.
    private struct LogReaders {
        /// Where the log ends that the newest commit wrote.
        let newest: LogPosition
        private let oldest: UInt32

        init(_ connection: Connection) {
            let readers =
                unsafe connection.isLogged
                ? strata_sqlite_read_log_readers(connection.handle) : strata_sqlite_log_readers()
            newest = LogPosition(log: readers.log, frame: readers.last)
            oldest = readers.oldest
        }

        /// Whether nobody reads a state from before a commit.
        ///
        /// A log is only started over when everybody sees all of it.
        func see(_ commit: LogPosition) -> Bool { commit.log != newest.log || oldest >= commit.frame }
    }
}
