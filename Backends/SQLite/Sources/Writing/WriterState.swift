import StrataEngine
import Synchronization

/// What one write transaction of a store leaves to the next; used only with the write lock held.
struct WriterState: ~Copyable {
    let checkpoints = Mutex(CheckpointPolicy())
    /// The version of the schema that the last transaction found; `nil` where the schema has changed since.
    let schemaVersion = Mutex<Int64?>(nil)
    /// What was left, and the number of the commit that it belongs to.
    private let rest = Mutex<(rest: Rest, commit: UInt32)?>(nil)

    /// What a transaction leaves that holds until another connection commits.
    struct Rest {
        /// The reserved references.
        var reserve = ReferenceReserve()
        /// The number of the last transaction in Strata's own history; `nil` where it is unknown.
        var lastHistoryNumber: Int64?
    }

    /// Returns what the last transaction left; `nil` where another connection has committed since.
    func rest(_ writer: Connection) -> Rest? { rest.withLock { $0?.commit == writer.commitNumber ? $0?.rest : nil } }

    /// Keeps the rest of a transaction, after its commit.
    func keep(_ rest: Rest, _ writer: Connection) { self.rest.withLock { $0 = (rest, writer.commitNumber) } }
}
