import Dispatch
import Synchronization

/// Keeps a save from taking effect in one of a coordinator's stores before, and in another after, a snapshot of both is taken.
///
/// Two kinds of work go through: taking snapshots of several stores, and committing in several. Any number of one kind pass together, and
/// none of the other; whoever comes while the other kind waits lets it go first, so that neither waits for longer than one turn. Nothing
/// that goes on inside waits for a store's turn to be written, or runs anything of the application's.
final class SnapshotGate: Sendable {
    private struct State {
        /// How many of each kind are inside.
        var snapshots = 0
        var commits = 0
        var waitingSnapshots: [DispatchSemaphore] = []
        var waitingCommits: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    /// Starts taking snapshots; ``endTaking()`` is called as soon as all are taken.
    func beginTaking() {
        let wait = state.withLock { state -> DispatchSemaphore? in
            if state.commits == 0 && state.waitingCommits.isEmpty {
                state.snapshots += 1
                return nil
            }
            return SnapshotGate.queue(&state.waitingSnapshots)
        }
        wait?.wait()
    }

    func endTaking() {
        state.withLock { state in
            state.snapshots -= 1
            if state.snapshots == 0 { SnapshotGate.admit(&state.waitingCommits, &state.commits) }
        }
    }

    /// Runs `body`, which commits in several stores: a snapshot shows all of it or nothing.
    func commit<T>(_ body: () throws -> T) rethrows -> T {
        let wait = state.withLock { state -> DispatchSemaphore? in
            if state.snapshots == 0 && state.waitingSnapshots.isEmpty {
                state.commits += 1
                return nil
            }
            return SnapshotGate.queue(&state.waitingCommits)
        }
        wait?.wait()
        defer { endCommit() }
        return try body()
    }

    /// Waits, after a commit in one store, for the snapshots that are being taken and may be without it: what is saved next must not be
    /// in the rest of them.
    func awaitSnapshots() {
        let wait = state.withLock { $0.snapshots == 0 ? nil : SnapshotGate.queue(&$0.waitingCommits) }
        guard let wait else { return }
        wait.wait()
        endCommit()
    }

    private func endCommit() {
        state.withLock { state in
            state.commits -= 1
            if state.commits == 0 { SnapshotGate.admit(&state.waitingSnapshots, &state.snapshots) }
        }
    }

    private static func queue(_ waiting: inout [DispatchSemaphore]) -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        waiting.append(semaphore)
        return semaphore
    }

    /// Lets in all that wait; they count as inside from now on.
    private static func admit(_ waiting: inout [DispatchSemaphore], _ inside: inout Int) {
        inside += waiting.count
        for semaphore in waiting { semaphore.signal() }
        waiting = []
    }
}
