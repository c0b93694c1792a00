import CStrataPostgreSQL
import StrataSQL

/// The parameters of a connection.
struct ServerParameters: Sendable {
    let values: [(name: String, value: String)]
    /// The texts that messages must not contain.
    let secrets: [String]

    /// The parameters of an address, completed from the environment, the password file and the service file, as by all clients of
    /// PostgreSQL.
    ///
    /// - Throws: `StoreError` with `unsupported` where the address is not one of a PostgreSQL server.
    init(_ address: ServerAddress, _ operation: StoreError.Operation) throws(StoreError) {
        let refusal = StoreError(.unsupported, operation, "not the address of a PostgreSQL server: \(address)")
        guard !address.url.utf8.contains(0), address.url.isEmpty || address.url.contains("=") || address.url.contains("://") else {
            throw refusal
        }
        // libpq's message about a malformed address would contain parts of it, and with them the password.
        guard let options = unsafe PQconninfoParse(address.url, nil) else { throw refusal }
        defer { unsafe PQconninfoFree(options) }
        var values: [(name: String, value: String)] = [
            ("connect_timeout", "10"), ("fallback_application_name", "Strata"),
            // An unreachable server is detected within half a minute.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
        ]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { values.append(unsafe (String(cString: keyword), String(cString: value))) }
            unsafe option += 1
        }
        if let credentials = address.credentials {
            values.append(("user", credentials.user))
            if let password = credentials.password { values.append(("password", password)) }
        }
        values.append(("client_encoding", "UTF8"))
        guard values.allSatisfy({ !$0.value.utf8.contains(0) }) else { throw refusal }
        self.values = values
        secrets = values.filter { ["password", "sslpassword"].contains($0.name) }.map(\.value)
    }
}

/// The settings of a session.
struct SessionSettings: Sendable {
    var options = StoreOptions()
    /// The statement timeout in seconds; `nil` for none.
    var statementTimeout: Double?
    /// The time to wait for a result, in seconds: a reachable server itself ends a statement at its timeout.
    var patience: Double? { statementTimeout.map { min(max($0, 0), 1e6) + 5 } }

    /// Returns the lock timeout in milliseconds; 0 means no limit to the server.
    private static func milliseconds(_ seconds: Double) -> Int {
        seconds.isNaN ? 1 : Int(min(max(seconds * 1000, 1), Double(Int32.max)))
    }

    var statements: SQLText {
        let statements: [SQLText] = [
            "SET lock_timeout = \(number: SessionSettings.milliseconds(options.timeout))",
            // Names of tables are qualified; those of functions, operators and types are the server's own.
            "SET search_path = pg_catalog, pg_temp",
            "SET statement_timeout = \(number: statementTimeout.map(SessionSettings.milliseconds) ?? 0)",
            // Disabled sequential scans raise a statement's cost above the threshold of JIT compilation, which takes longer than it.
            "SET jit = off", "SET idle_in_transaction_session_timeout = 0", "SET row_security = off",
            // The server detects a client that lost power within half a minute, not two hours: until then it holds its locks.
            "SET tcp_keepalives_idle = 10", "SET tcp_keepalives_interval = 5", "SET tcp_keepalives_count = 3",
            ExternalTrigger.markingSession,
            // Synchronous replication stays as configured.
            options.durability == .relaxed ? "SET synchronous_commit = off" : SessionSettings.waitingForDisk, Session.question,
        ]
        return "\(statements, separator: "; ")"
    }

    /// The setting by which commits of the session wait for the disk.
    private static let waitingForDisk = waitingForDisk(isLocal: "false")
    /// The setting by which the transaction's commit waits for the disk, even if the session's commits do not.
    static let waitingForDiskOnce = waitingForDisk(isLocal: "true")

    private static func waitingForDisk(isLocal: StaticString) -> SQLText {
        """
        SELECT pg_catalog.set_config('synchronous_commit', 'on', \(isLocal)) \
        WHERE pg_catalog.current_setting('synchronous_commit') = 'off'
        """
    }
}
