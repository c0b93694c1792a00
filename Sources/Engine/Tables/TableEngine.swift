import Synchronization

/// The rows, links and indexes of a store in memory, as a sequence of versions.
///
/// Readers use a version, which no commit changes; a writer makes the next one out of the changed parts.
public final class TableEngine: Sendable {
    let schema: TableSchema
    let referenceScope: StoreCapabilities.ReferenceScope
    /// The path of the store, for errors.
    let path: String?
    /// The current version, which readers share.
    private let latest: Mutex<TableReader>
    let writeLock = WriteLock()
    private let timeout: Double

    /// Creates tables with the contents of a store.
    ///
    /// - Parameters:
    ///   - contents: The metadata, rows and links of the store.
    ///   - model: The model of the store.
    ///   - path: The path of the store, for errors.
    ///   - referenceScope: The objects among which a reference is unique.
    ///   - timeout: How many seconds a writer waits for the write lock.
    /// - Throws: `StoreError` with `corrupt` where the contents contradict the model or themselves.
    public init(
        _ contents: TableContents, model: ManagedObjectModel, path: String? = nil,
        referenceScope: StoreCapabilities.ReferenceScope = .hierarchy, timeout: Double
    ) throws(StoreError) {
        schema = TableSchema(model)
        self.referenceScope = referenceScope
        self.path = path
        self.timeout = timeout
        latest = Mutex(TableReader(version: try TableVersion(contents, schema, path: path), schema: schema))
    }

    /// The metadata as of the last commit.
    public var metadata: StoreMetadata { current.metadata }

    /// Returns whether a model numbers and lays out its entities as that of the tables does, so that rows can be
    /// shared.
    func isLaidOut(by model: ManagedObjectModel) -> Bool {
        schema.model === model
            || schema.model.entities.elementsEqual(model.entities) { $0.versionHash == $1.versionHash && $0.layout == $1.layout }
                && schema.model.linkTables == model.linkTables
    }

    /// Runs `body` over the current version.
    ///
    /// - Throws: What `body` throws.
    public func read<T>(_ body: (any StoreReader) throws -> T) rethrows -> T { try body(reader) }

    var reader: TableReader { latest.withLock { $0 } }

    /// Begins a transaction, after it waited for the write lock.
    ///
    /// - Throws: `StoreError` with `locked` after the time-out.
    public func beginWrite() throws(StoreError) -> TableTransaction {
        guard writeLock.acquire(until: Deadline(after: timeout)) else {
            throw StoreError(.locked, .save, "another save takes longer than \(timeout) seconds", path: path)
        }
        return TableTransaction(self, current)
    }

    var current: TableVersion { reader.version }

    func replace(with next: TableVersion) {
        let reader = TableReader(version: next, schema: schema)
        latest.withLock { $0 = reader }
    }

    /// Replaces the content by that of another process's save.
    ///
    /// Equal rows keep their versions, and others get later ones, whatever the contents say, as a format may keep no
    /// versions. The caller has the write lock.
    ///
    /// - Throws: `StoreError` with `corrupt` where the contents contradict the model or themselves.
    /// - Complexity: O(n).
    func replace(with contents: TableContents) throws(StoreError) {
        var next = try TableVersion(contents, schema, path: path)
        next.follow(current, schema)
        try next.damage.check()
        replace(with: next)
    }
}
