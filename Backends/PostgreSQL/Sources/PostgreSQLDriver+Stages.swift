import StrataFiles
import StrataSQL
public import StrataStore

extension PostgreSQLDriver: StagedStoreDriver {
    /// Another schema of the same database.
    ///
    /// - Throws: As `StagedStoreDriver.locationBeforeStage(of:)`.
    public func locationBeforeStage(of location: StoreLocation) throws -> StoreLocation {
        let server = try ServerLocation(location, .migrate)
        guard case .server(var address) = location else { return location }
        let suffix = "_before"
        let longest = NameRegistry.greatestLength - suffix.utf8.count
        // A checksum has up to eight digits, and a sign before them.
        address.name = PathName.shortened(server.schema, over: longest, keeping: longest - 9) + suffix
        return .server(address)
    }

    /// A lock of a session's of its own, which the server releases where the process ends.
    ///
    /// - Throws: As `StagedStoreDriver.lockStages(at:timeout:)`.
    public func lockStages(at location: StoreLocation, timeout: Double) throws -> () -> Void {
        let server = try ServerLocation(location, .migrate)
        var options = StoreOptions()
        options.timeout = timeout
        let connection = try Connection(server.parameters, SessionSettings(options), .migrate)
        try connection.execute(AdvisoryLock(.stages, name: server.schema).statement("pg_advisory_lock"), .migrate)
        return { _ = try? connection.run(SQLText("SELECT pg_catalog.pg_advisory_unlock_all()"), .migrate) }
    }
}
