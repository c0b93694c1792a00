import StrataEngine
public import StrataStore

extension SQLiteStore {
    /// Runs `body` with a connection for reading.
    ///
    /// - Throws: What `body` throws; `StoreError` with `replaced` or `missing` where the cause is another file, or none, at the path.
    func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        try check(.fetch)
        do {
            do { return try lendConnection(body) } catch let error as StoreError where error.isAboutHotJournal && !isReadOnly {
                // Nothing was read yet.
                try rollBackJournal()
                return try lendConnection(body)
            }
        } catch let error as StoreError {
            guard [.corrupt, .io, .foreign, .missing].contains(error.code), let finding = watch?.absence else { throw error }
            throw FileWatch.error(finding, filePath, .fetch)
        }
    }

    private func lendConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        guard let connection = try pool.take() else { throw closed(.fetch) }
        defer { pool.give(back: connection) }
        return try connection.whileNotCancelled { try body(connection) }
    }

    /// Rolls back the journal of an interrupted save, which a read-only connection cannot do.
    private func rollBackJournal() throws {
        try acquireWriteLock(.fetch)
        defer { writeLock.release() }
        guard let writer else { throw closed(.fetch) }
        try writer.execute("SELECT count(*) FROM sqlite_master", .fetch)
    }

    /// Acquires the write lock for the writer; the caller releases it.
    ///
    /// - Throws: `StoreError` with `locked` after the time-out.
    func acquireWriteLock(_ operation: StoreError.Operation) throws {
        guard writeLock.acquire(until: Deadline(after: options.timeout)) else {
            throw StoreError(.locked, operation, "another transaction did not end within \(options.timeout) seconds", path: path)
        }
    }

    public var condition: StoreCondition { StoreCondition(failure: failure, pools: [pool.status]) }

    public func reportConnections(to report: (@Sendable (ConnectionUse) -> Void)?) { pool.report(to: report) }
}
