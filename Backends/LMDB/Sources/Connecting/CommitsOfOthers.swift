import CStrataLMDB
import StrataStore
import Synchronization

/// Distinguishes the commits of others from those of one store by their consecutive numbers.
final class CommitsOfOthers: Sendable {
    private struct State {
        /// The newest commit that was accounted for; `nil` before the first check.
        var known: Int?
        /// The number of the store's commit in progress.
        var own: Int?
        /// The number of detected commits of others.
        var revision: Int64 = 0

        mutating func note(_ number: Int) {
            if number == known { return }
            known = number
            revision += 1
        }
    }

    private let state = Mutex(State())

    /// Records that the store is about to commit.
    func begin(_ number: Int) {
        state.withLock { state in
            guard state.known != nil else { return }
            // No other commit since the transaction began: earlier ones are others'.
            state.note(number - 1)
            state.own = number
        }
    }

    /// Records the end of the commit, and whether it certainly consumed its number.
    func end(_ number: Int, hasCommitted: Bool) {
        state.withLock { state in
            guard state.own == number else { return }
            state.own = nil
            if hasCommitted { state.known = max(number, state.known ?? number) }
        }
    }

    /// Returns a number that changes with the commits of others, given the number of the newest commit in the file.
    func revision(newest: Int) -> Int64 {
        state.withLock { state in
            if state.known == nil { state.known = newest }
            // It has its number before it is over.
            if newest != state.own { state.note(newest) }
            return state.revision
        }
    }
}

extension LMDBStore: SharedStore {
    func revisionOfOthers() throws -> Int64? {
        try checkOpen(.refresh)
        return try storeErrors(.refresh, path: environment.path) {
            // That of a snapshot: a commit is in the file some time before new snapshots show it.
            try environment.read(.refresh) { others.revision(newest: unsafe Int(mdb_txn_id($0.handle))) }
        }
    }
}
