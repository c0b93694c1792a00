import CStrataSQLite
import StrataSQL
import StrataStore

/// The settings of each connection: the store's own, then the application's.
struct ConnectionSettings: Sendable {
    private let durability: StoreOptions.Durability
    private let pragmas: [String: String]
    /// Whether a new file's pages get checksums, and an old file is rewritten with them.
    let pageChecksums: Bool
    private let mmapSize: Int
    private let trace: StatementTrace?

    /// Checks the application's pragmas.
    ///
    /// - Throws: `StoreError` with `wrongValue` for a name or a value that is not a word or a number.
    init(_ driver: SQLiteDriver, _ durability: StoreOptions.Durability, path: String) throws {
        self.durability = durability
        pragmas = driver.pragmas
        pageChecksums = driver.pageChecksums
        mmapSize = max(0, driver.mmapSize)
        trace = driver.logger.map { StatementTrace($0) }
        for (name, value) in pragmas {
            guard ConnectionSettings.isWord(name), ConnectionSettings.isWordOrNumber(value) else {
                throw StoreError(
                    .wrongValue, .open, "“\(name) = \(value)” is no pragma with a word or a number as its value", path: path)
            }
        }
    }

    /// The pragmas that take effect only before a connection's first access, or when a file is created.
    private static let earlyPragmas: Set<String> = ["page_size", "auto_vacuum", "encoding", "journal_mode", "locking_mode"]

    /// Returns the application's value of a pragma.
    func value(of pragma: String) -> String? {
        pragmas.first { $0.key.lowercased() == pragma }?.value
    }

    /// Applies the settings of all connections.
    func apply(to connection: Connection, isWriting: Bool = false) throws {
        if let trace { connection.database.trace(to: trace) }
        unsafe strata_sqlite_distrust_schema(connection.handle)
        connection.cache.isOfApplication = value(of: "cache_size") != nil
        try connection.setCache(kibibytes: PageCache.kibibytes(forFileOf: connection.fileSize, isWriting: isWriting))
        // With memory mapping, the writer would check the cells of a page at each access, which a cached page saves.
        try connection.prepare(["PRAGMA mmap_size =", String(isWriting ? 0 : mmapSize)].joined(separator: " ")).run(.open)
        try connection.execute("PRAGMA temp_store = MEMORY", .open)
        try applyPragmas(to: connection) { !ConnectionSettings.earlyPragmas.contains($0) }
    }

    /// Applies the settings of the writer: how commits reach the disk.
    func applyForWriting(to connection: Connection) throws {
        // Detects a damaged page before anything is written to it. Readers detect damage when they reach it, and would
        // pay for the check with each page that their cache does not hold.
        try connection.execute("PRAGMA cell_size_check = ON", .open)
        try connection.execute("PRAGMA secure_delete = OFF", .open)
        // Of several connections that switch the mode at once, each holds a read lock, and SQLite makes none wait for the others.
        try connection.retryWhileLocked {
            connection.isLogged = try ConnectionSettings.answer(to: ["PRAGMA journal_mode =", journalMode], on: connection) == "wal"
        }
        if value(of: "locking_mode") != nil { try applyPragmas(to: connection) { $0 == "locking_mode" } }
        let isLogged = connection.isLogged
        switch durability {
        case .full: try connection.execute(isLogged ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = EXTRA", .open)
        case .relaxed: try connection.execute("PRAGMA synchronous = NORMAL", .open)
        }
        unsafe sqlite3_wal_autocheckpoint(connection.handle, 4000)
        // A log that one large save extended is truncated; one of the usual size is kept and overwritten, which is faster.
        try connection.execute("PRAGMA journal_size_limit = 20000000", .open)
        try applyPragmas(to: connection) { !ConnectionSettings.earlyPragmas.contains($0) }
        let level = try connection.integer("PRAGMA synchronous", .open) ?? 0
        unsafe strata_sqlite_sync_commits(connection.handle, isLogged && level >= 2 ? 1 : 0)
        // The first read takes the lock that marks the store as in use for other processes.
        try connection.execute("SELECT 1 FROM sqlite_master LIMIT 1", .open)
    }

    /// Applies the settings that only an empty file takes; writes nothing.
    func applyForCreating(to connection: Connection) throws {
        try connection.execute("PRAGMA page_size = 4096", .open)
        try applyPragmas(to: connection) { ["page_size", "encoding"].contains($0) }
        if pageChecksums { try PageChecksums.reserve(connection) }
        try connection.execute("PRAGMA synchronous = FULL", .open)
    }

    /// Sets the vacuum mode of an empty file, which writes its first page: within the transaction that creates the store, so that no file
    /// consists of that page alone.
    func applyVacuumMode(to connection: Connection) throws {
        if value(of: "auto_vacuum") == nil { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL", .open) }
        try applyPragmas(to: connection) { $0 == "auto_vacuum" }
    }

    /// Returns whether the journal in effect is a write-ahead log.
    static func isLogged(_ connection: Connection) throws -> Bool { try answer(to: ["PRAGMA journal_mode"], on: connection) == "wal" }

    /// Runs a pragma that returns a word, and returns it in lower case.
    private static func answer(to words: [String], on connection: Connection) throws -> String {
        let statement = try connection.prepare(words.joined(separator: " "))
        let word = try statement.step(.open) ? (statement.text(0) ?? "").lowercased() : ""
        while try statement.step(.open) {}
        return word
    }

    /// The application's journal mode, or the store's own.
    private var journalMode: String { value(of: "journal_mode") ?? "WAL" }

    private func applyPragmas(to connection: Connection, where isMeant: (String) -> Bool) throws {
        for (name, value) in pragmas.sortedByKey() where isMeant(name.lowercased()) {
            // Pragmas take no parameters; both words are validated.
            try connection.prepare(["PRAGMA", name, "=", value].joined(separator: " ")).run(.open)
        }
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isLetter || $0 == "_" }
    }

    private static func isWordOrNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        return isWord(text) || !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}
