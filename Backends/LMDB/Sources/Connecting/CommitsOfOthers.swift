import CStrataLMDB
import StrataStore
import Synchronization

/// Tells the commits of others from those of one store, by their numbers: LMDB gives each commit of a file the next one.
final class CommitsOfOthers: Sendable {
    private struct State {
        /// The newest commit that was accounted for; `nil` before anybody asked.
        var known: Int?
        /// The commit of the store that is under way.
        var own: Int?
        /// How often a commit of others was found.
        var revision: Int64 = 0

        mutating func note(_ number: Int) {
            if number == known { return }
            known = number
            revision += 1
        }
    }

    private let state = Mutex(State())

    /// The store is about to commit.
    func begin(_ number: Int) {
        state.withLock { state in
            guard state.known != nil else { return }
            // Since the transaction began nobody else could commit: what came before is others'.
            state.note(number - 1)
            state.own = number
        }
    }

    /// The commit is over.
    ///
    /// - Parameter hasCommitted: Whether it surely got its number.
    func end(_ number: Int, hasCommitted: Bool) {
        state.withLock { state in
            guard state.own == number else { return }
            state.own = nil
            if hasCommitted { state.known = max(number, state.known ?? number) }
        }
    }

    /// A number that changes with the commits of others, where the newest commit in the file has a number.
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
