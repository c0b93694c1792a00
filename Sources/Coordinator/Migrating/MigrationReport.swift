package import StrataStore
import Synchronization

/// Reports the progress of a migration, and ends it on cancellation.
package final class MigrationReport: Sendable {
    private let handler: (@Sendable (MigrationProgress) throws -> Void)?
    private let path: String?
    /// A store may repeat its work from the beginning.
    private let greatest = Mutex(0.0)

    init(_ description: StoreDescription) {
        handler = description.migrationProgress
        path = description.path
    }

    /// - Throws: `StoreError` with `cancelled` where the migration is cancelled.
    package func update(_ done: Int, of total: Int, entity: String? = nil) throws(StoreError) {
        if Task.isCancelled { throw cancelled(because: CancellationError()) }
        guard let handler else { return }
        let fraction = greatest.withLock { greatest in
            greatest = max(greatest, min(1, Double(done) / Double(max(1, total))))
            return greatest
        }
        do { try handler(MigrationProgress(fractionCompleted: fraction, entity: entity)) } catch { throw cancelled(because: error) }
    }

    package func cancelled(because error: any Error) -> StoreError {
        StoreError(.cancelled, .migrate, "the migration was cancelled; the store is as it was", path: path, underlying: error)
    }
}
