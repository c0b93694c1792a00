import CStrataSQLite
import StrataEngine
import StrataSQL

/// Removes the files of external values that no row references any more, once no process reads a state in which one does.
///
/// The index of the log, which all processes share, has the positions of readers. Without a log a commit waits for all readers to end.
final class ExternalCollector: Sendable {
    let directory: ExternalDataDirectory
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

    /// Records the files that the last commit dropped, and removes those that no reader can need.
    func collect(_ dropped: [String], after connection: Connection) {
        if dropped.isEmpty && garbage.isEmpty { return }
        let readers = LogReaders(connection)
        garbage.add(dropped, since: readers.newest)
        // Files must exist for every state to which a power loss could revert.
        if !isDurable { unsafe strata_sqlite_synchronize_log(connection.handle) }
        garbage.remove(where: readers.see)
    }

    /// A reader of an older state may need the files.
    private struct OlderStateInUse: Error {}

    /// Removes the files of an interrupted save; throws while another connection writes, or reads an older state.
    func removeUnnamed(_ connection: Connection) throws {
        if try directory.ownedNames().isEmpty { return }
        try connection.withoutWaiting { try connection.execute("BEGIN IMMEDIATE", .open) }
        defer { try? connection.execute("ROLLBACK", .open) }
        try ExternalStorage.removeUnnamed(in: directory) { strike in
            let readers = LogReaders(connection)
            guard readers.see(readers.newest) else { throw OlderStateInUse() }
            try ExternalNames.forEach(connection, .open, strike)
        }
    }

    /// The positions of the readers of a log, at one moment.
    private struct LogReaders {
        /// The end of the log at the newest commit.
        let newest: LogPosition
        private let oldest: UInt32

        init(_ connection: Connection) {
            let readers =
                unsafe connection.isLogged
                ? strata_sqlite_read_log_readers(connection.handle) : strata_sqlite_log_readers()
            newest = LogPosition(log: readers.log, frame: readers.last)
            oldest = readers.oldest
        }

        /// Whether all readers see a commit.
        ///
        /// A log is only restarted when all readers see all of it.
        func see(_ commit: LogPosition) -> Bool { commit.log != newest.log || oldest >= commit.frame }
    }
}

/// Finds the files that a database's rows reference, without a model.
enum ExternalNames {
    /// Calls `body` with the names, until it returns false.
    ///
    /// An untagged value that has the form of a name counts as one.
    static func forEach(_ connection: Connection, _ operation: StoreError.Operation, _ body: (String) -> Bool) throws {
        let columns: SQLText = """
            SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND m.name LIKE 'Z%' AND upper(c.type) = 'BLOB'
            """
        for names in try connection.texts(columns, columns: 2, operation) {
            let (table, column) = (names[0], names[1])
            // Core Data's names may end in a zero.
            let (least, most) = (ExternalTag.fileContentLength, ExternalTag.fileContentLength + 1)
            let condition: SQLText = "length(\(identifier: column)) BETWEEN \(number: least) AND \(number: most)"
            let statement = try connection.prepare(
                SQLText("SELECT \(identifier: column) FROM \(table: table) WHERE \(condition)").text)
            while try statement.step(operation) {
                guard let name = unsafe statement.blobBytes(0).flatMap({ unsafe ExternalTag.fileName(in: $0) }) else { continue }
                if !body(name) { return }
            }
        }
    }
}

extension ExternalValuesOfStore {
    /// The files of a store that is to be removed or replaced; `nil` where the database cannot be read.
    init?(_ connection: Connection, _ path: String, _ operation: StoreError.Operation) {
        guard let metadata = try? MetadataTable.read(connection),
            let values = try? ExternalValuesOfStore(
                of: metadata.storeID, at: path, { try ExternalNames.forEach(connection, operation, $0) })
        else { return nil }
        self = values
    }
}
