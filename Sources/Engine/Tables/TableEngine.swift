import StrataFiles
package import StrataModel
package import StrataStore
import Synchronization

/// The rows, links and indexes of a store that is wholly in memory, one version after the other.
///
/// Readers hold a version, which no commit touches; a writer makes the next one out of the parts that change.
package final class TableEngine: Sendable {
    let schema: TableSchema
    let referenceScope: StoreCapabilities.ReferenceScope
    /// The path of the store, for errors.
    let path: String?
    /// The version as it is now, as readers share it.
    private let latest: Mutex<TableReader>
    private let writeLock = WriteLock()
    private let timeout: Double

    /// Tables with what a store holds.
    ///
    /// - Parameter timeout: How many seconds a writer waits for the write lock.
    /// - Throws: `StoreError` with `corrupt` where the contents contradict the model or themselves.
    package init(
        _ contents: TableContents, model: ManagedObjectModel, path: String? = nil,
        referenceScope: StoreCapabilities.ReferenceScope = .tree, timeout: Double
    ) throws(StoreError) {
        schema = TableSchema(model)
        self.referenceScope = referenceScope
        self.path = path
        self.timeout = timeout
        latest = Mutex(TableReader(version: try TableVersion(contents, schema, path: path), schema: schema))
    }

    /// The metadata as of the last commit.
    package var metadata: StoreMetadata { current.metadata }

    /// Returns whether a model numbers and lays out its entities as that of the tables does, so that their rows are its
    /// rows too.
    package func isLaidOut(by model: ManagedObjectModel) -> Bool {
        schema.model === model
            || schema.model.entities.elementsEqual(model.entities) { $0.versionHash == $1.versionHash && $0.layout == $1.layout }
                && schema.model.linkTables == model.linkTables
    }

    /// Runs `body` over the version as it is now.
    package func read<T>(_ body: (any StoreReader) throws -> T) rethrows -> T { try body(reader) }

    /// A reader of the version as it is now.
    var reader: TableReader { latest.withLock { $0 } }

    /// Waits for the write lock.
    ///
    /// - Throws: `StoreError` with `locked` after the time-out.
    package func beginWrite() throws(StoreError) -> TableTransaction {
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

    /// Shows other contents, which somebody else made of these.
    ///
    /// Rows keep their versions where they are as they were, and have later ones where they are not, whatever the contents say: a format
    /// may keep no versions. Called by the holder of the write lock.
    ///
    /// - Throws: `StoreError` with `corrupt` where the contents contradict the model or themselves.
    /// - Complexity: O(n).
    func replace(with contents: TableContents) throws(StoreError) {
        var next = try TableVersion(contents, schema, path: path)
        next.follow(current, schema)
        replace(with: next)
    }

    func releaseWriteLock() { writeLock.release() }
}
