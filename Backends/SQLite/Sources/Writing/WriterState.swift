import StrataEngine
import Synchronization

/// What one write transaction of a store leaves to the next; used only with the write lock held.
struct WriterState: ~Copyable {
    let checkpoints = Mutex(CheckpointPolicy())
    /// The version of the schema that the last transaction found.
    let schemaVersion = Mutex<Int64?>(nil)
    /// The reserved references, and the number of the commit that they belong to.
    private let reserved = Mutex<(reserve: ReferenceReserve, number: UInt32)?>(nil)

    /// Returns the reserved references; none where another connection has committed since this store's last transaction.
    func reserve(_ writer: Connection) -> ReferenceReserve {
        reserved.withLock { $0.flatMap { $0.number == writer.commitNumber ? $0.reserve : nil } ?? ReferenceReserve() }
    }

    /// Stores the reserved references after a commit.
    func keep(_ reserve: ReferenceReserve, _ writer: Connection) { reserved.withLock { $0 = (reserve, writer.commitNumber) } }
}
