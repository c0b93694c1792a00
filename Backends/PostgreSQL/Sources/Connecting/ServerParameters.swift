import CStrataPostgreSQL
import StrataStore

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
        let refusal = StoreError(.unsupported, operation, "the address is none of a PostgreSQL server: \(address)")
        guard !address.url.utf8.contains(0), address.url.isEmpty || address.url.contains("=") || address.url.contains("://") else {
            throw refusal
        }
        // What libpq says of an address that it cannot read would show parts of it, and with them the password.
        guard let options = unsafe PQconninfoParse(address.url, nil) else { throw refusal }
        defer { unsafe PQconninfoFree(options) }
        var values: [(name: String, value: String)] = [("connect_timeout", "10"), ("fallback_application_name", "Strata")]
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
    let timeout: Double
    let durability: StoreOptions.Durability

    init(_ options: StoreOptions = StoreOptions()) {
        timeout = options.timeout
        durability = options.durability
    }

    /// How long to wait for others, in milliseconds; the server takes 0 for without end.
    private var milliseconds: Int { timeout.isNaN ? 1 : Int(min(max(timeout * 1000, 1), Double(Int32.max))) }

    var statements: SQLText {
        var sql = SQLText("SET lock_timeout = ")
        sql.add(number: milliseconds)
        sql.add("; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET row_security = off; ")
        switch durability {
        case .relaxed: sql.add("SET synchronous_commit = off")
        // What waits for more than the own disk stays.
        case .full:
            sql.add(
                """
                SELECT pg_catalog.set_config('synchronous_commit', 'on', false) \
                WHERE pg_catalog.current_setting('synchronous_commit') = 'off'
                """)
        }
        return sql
    }
}
