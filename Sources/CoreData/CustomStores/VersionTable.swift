import Foundation
import StrataModel

/// The versions of the rows that an incremental store's values made, by which saves of several contexts notice each other.
///
/// A store's own versions may be any numbers, or one that never changes: a row gets the next version when the store's differs, and when it
/// is saved here.
// Unchecked: everything is behind the lock.
final class VersionTable: @unchecked Sendable {
    private struct Key: Hashable {
        let root: EntityIndex
        let reference: Int64
    }

    private struct Known {
        /// The version that the store gave last.
        var given: UInt64
        /// The version of the row.
        var row: UInt32
        /// Whether the row was saved here, and the store was not asked since.
        var isSaved = false
    }

    private let lock = NSLock()
    private var known: [Key: Known] = [:]

    /// The version of a row of values that the store gave just now.
    func version(root: EntityIndex, _ reference: Int64, given: UInt64) -> UInt32 {
        lock.withLock {
            let key = Key(root: root, reference: reference)
            var entry = known[key] ?? Known(given: given, row: max(1, UInt32(truncatingIfNeeded: given)))
            // The store has another version of what was saved here, most likely, and the row has its new one already.
            if entry.given != given && !entry.isSaved { entry.row &+= 1 }
            entry.given = given
            entry.isSaved = false
            known[key] = entry
            return entry.row
        }
    }

    /// The version of a row; `nil` where the store was never asked for it.
    func current(root: EntityIndex, _ reference: Int64) -> UInt32? { lock.withLock { known[Key(root: root, reference: reference)]?.row } }

    /// Takes note that a row was saved.
    func save(root: EntityIndex, _ reference: Int64, as version: UInt32) {
        lock.withLock {
            let key = Key(root: root, reference: reference)
            known[key] = Known(given: known[key]?.given ?? 0, row: version, isSaved: true)
        }
    }

    /// Takes note that a row was deleted.
    func delete(root: EntityIndex, _ reference: Int64) {
        lock.withLock { known[Key(root: root, reference: reference)] = nil }
    }
}
