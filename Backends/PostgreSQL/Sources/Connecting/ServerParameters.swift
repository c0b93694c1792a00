import CStrataPostgreSQL
import StrataSQL

/// What a connection is made with.
struct ServerParameters: Sendable {
    let values: [(name: String, value: String)]
    /// What no message may show.
    let secrets: [String]

    /// The parameters of an address; what it leaves out comes from the environment, the password file and the service file, as everywhere
    /// with PostgreSQL.
    ///
    /// - Throws: `StoreError` with `unsupported` where the address is none of PostgreSQL's.
    init(_ address: ServerAddress, _ operation: StoreError.Operation) throws(StoreError) {
        let refusal = StoreError(.unsupported, operation, "not the address of a PostgreSQL server: \(address)")
        guard !address.url.utf8.contains(0), address.url.isEmpty || address.url.contains("=") || address.url.contains("://") else {
            throw refusal
        }
        // What libpq says of an address that it cannot read would show parts of it, and with them the password.
        guard let options = unsafe PQconninfoParse(address.url, nil) else { throw refusal }
        defer { unsafe PQconninfoFree(options) }
        var values: [(name: String, value: String)] = [
            ("connect_timeout", "10"), ("fallback_application_name", "Strata"),
            // A server that is cut off is found out within half a minute.
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

/// What a session is set to.
struct SessionSettings: Sendable {
    var options = StoreOptions()
    /// How long a statement may take, in seconds; `nil` for as long as it takes.
    var statementTimeout: Double?
    /// How long to wait for an answer, in seconds: the server ends a statement that takes too long by itself, if it is there.
    var patience: Double? { statementTimeout.map { min(max($0, 0), 1e6) + 5 } }

    /// How long to wait for others, in milliseconds; the server takes 0 for without end.
    private static func milliseconds(_ seconds: Double) -> Int {
        seconds.isNaN ? 1 : Int(min(max(seconds * 1000, 1), Double(Int32.max)))
    }

    var statements: SQLText {
        let statements: [SQLText] = [
            "SET lock_timeout = \(number: SessionSettings.milliseconds(options.timeout))",
            // Names of tables are qualified; those of functions, operators and types are the server's own.
            "SET search_path = pg_catalog, pg_temp",
            "SET statement_timeout = \(number: statementTimeout.map(SessionSettings.milliseconds) ?? 0)",
            // A save forbids scans of tables by a cost that would have each of its statements compiled, which takes far longer than to run it.
            "SET jit = off", "SET idle_in_transaction_session_timeout = 0", "SET row_security = off",
            // The server misses a machine that lost its power within half a minute, and not after two hours: until then it holds locks.
            "SET tcp_keepalives_idle = 10", "SET tcp_keepalives_interval = 5", "SET tcp_keepalives_count = 3",
            // What waits for more than the own disk stays.
            options.durability == .relaxed ? "SET synchronous_commit = off" : SessionSettings.waitingForDisk, Session.question,
        ]
        return "\(statements, separator: "; ")"
    }

    /// What has commits of the session wait for the disk.
    private static let waitingForDisk = waitingForDisk(isLocal: "false")
    /// What has the transaction's commit wait for the disk, also where the session's do not.
    static let waitingForDiskOnce = waitingForDisk(isLocal: "true")

    private static func waitingForDisk(isLocal: StaticString) -> SQLText {
        """
        SELECT pg_catalog.set_config('synchronous_commit', 'on', \(isLocal)) \
        WHERE pg_catalog.current_setting('synchronous_commit') = 'off'
        """
    }
}
