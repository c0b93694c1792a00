import StrataEngine
import Synchronization

/// What one write transaction of a store leaves to the next; used only with the write lock held.
struct WriterState: ~Copyable {
    let checkpoints = Mutex(CheckpointPolicy())
    /// The version of the schema that the last transaction found.
    let schemaVersion = Mutex<Int64?>(nil)
    /// The number of the last transaction in Strata's own history, and the number of the commit that it belongs to.
    private let lastHistoryNumber = Mutex<(number: Int64, commit: UInt32)?>(nil)
    /// The reserved references, and the number of the commit that they belong to.
    private let reserved = Mutex<(reserve: ReferenceReserve, number: UInt32)?>(nil)

    /// Returns the reserved references; none where another connection has committed since this store's last transaction.
    func reserve(_ writer: Connection) -> ReferenceReserve {
        reserved.withLock { $0.flatMap { $0.number == writer.commitNumber ? $0.reserve : nil } ?? ReferenceReserve() }
    }

    /// Returns the number of the last transaction in the history; `nil` where another connection has committed since it was kept.
    func lastHistoryNumber(_ writer: Connection) -> Int64? {
        lastHistoryNumber.withLock { $0.flatMap { $0.commit == writer.commitNumber ? $0.number : nil } }
    }

    /// Stores the reserved references, and the number of the last transaction in the history, after a commit.
    func keep(_ reserve: ReferenceReserve, lastHistoryNumber number: Int64?, _ writer: Connection) {
        reserved.withLock { $0 = (reserve, writer.commitNumber) }
        lastHistoryNumber.withLock { $0 = number.map { ($0, writer.commitNumber) } }
    }
}
