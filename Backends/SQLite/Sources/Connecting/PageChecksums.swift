import CStrataSQLite
import StrataSQL

/// The checksums of a database's pages, in the bytes that it reserves at the end of each.
enum PageChecksums {
    /// The result code of a page whose checksum does not match: `SQLITE_IOERR_DATA`, a macro that Swift does not see.
    static let mismatch = SQLITE_IOERR | 32 << 8

    /// Marks a file whose pages have checksums, beside the number of reserved bytes: damage to one of the two is detected by the other.
    private static let applicationID: Int64 = 0x5354_5243

    /// Marks a database that reserves the bytes.
    static func mark(_ connection: Connection) throws {
        try connection.prepare(["PRAGMA application_id =", String(applicationID)].joined(separator: " ")).run(.open)
    }

    /// Rewrites a database with checksums, unless it has them.
    ///
    /// - Complexity: O(n) in the file.
    static func add(_ connection: Connection) throws {
        if try !areReserved(connection) {
            try reserve(connection)
            try connection.execute("VACUUM", .open)
        }
        // Marked last: a marked file without reserved bytes counts as damaged.
        if try !isMarked(connection) { try mark(connection) }
    }

    /// - Throws: `StoreError` with `corrupt` where the file is marked but reserves no bytes.
    static func check(_ connection: Connection) throws {
        guard try isMarked(connection), try !areReserved(connection) else { return }
        throw StoreError(.corrupt, .open, "the head of the database is damaged: its pages should have checksums", path: connection.path)
    }

    private static func isMarked(_ connection: Connection) throws -> Bool {
        try connection.integer("PRAGMA application_id", .open) == applicationID
    }

    private static func areReserved(_ connection: Connection) throws -> Bool {
        try reserve(connection, bytes: -1) == Int32(STRATA_SQLITE_CHECKSUM_LENGTH)
    }

    /// Reserves bytes in each page of a database that is still empty; a negative number changes nothing.
    ///
    /// - Returns: The number before.
    @discardableResult
    static func reserve(_ connection: Connection, bytes count: Int32 = Int32(STRATA_SQLITE_CHECKSUM_LENGTH)) throws -> Int32 {
        var count = count
        let code = unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard code == SQLITE_OK else { throw connection.error(code, .open) }
        return count
    }
}
