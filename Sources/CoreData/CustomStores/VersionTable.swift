import StrataModel
import Synchronization

/// The row versions of an incremental store, by which saves of several contexts detect conflicts.
///
/// A row gets the next version when the store's own, which may be any number, differs, and when it is saved here.
final class VersionTable: Sendable {
    private struct Key: Hashable {
        let root: EntityIndex
        let reference: Int64
    }

    private struct Known {
        /// The version that the store returned last.
        var given: UInt64
        var row: UInt32
        /// Whether the row was saved here, and not read from the store since.
        var isSaved = false
    }

    private let known = Mutex<[Key: Known]>([:])

    /// Returns the row version of values that the store just returned.
    func version(root: EntityIndex, _ reference: Int64, given: UInt64) -> UInt32 {
        known.withLock { known in
            let key = Key(root: root, reference: reference)
            var entry = known[key] ?? Known(given: given, row: max(1, UInt32(truncatingIfNeeded: given)))
            // The store most likely has another version of the row saved here, which has its new row version already.
            if entry.given != given && !entry.isSaved { entry.row &+= 1 }
            entry.given = given
            entry.isSaved = false
            known[key] = entry
            return entry.row
        }
    }

    /// Returns the row version; `nil` if the row was never read.
    func current(root: EntityIndex, _ reference: Int64) -> UInt32? { known.withLock { $0[Key(root: root, reference: reference)]?.row } }

    /// Records that a row was saved.
    func save(root: EntityIndex, _ reference: Int64, as version: UInt32) {
        known.withLock { known in
            let key = Key(root: root, reference: reference)
            known[key] = Known(given: known[key]?.given ?? 0, row: version, isSaved: true)
        }
    }

    /// Records that a row was deleted.
    func delete(root: EntityIndex, _ reference: Int64) {
        known.withLock { $0[Key(root: root, reference: reference)] = nil }
    }
}
