import Dispatch
import Synchronization

/// Keeps a save from taking effect in one of a coordinator's stores before, and in another after, a snapshot of both is taken.
///
/// Two kinds of work go through: taking snapshots of several stores, and committing in several. Any number of one kind pass together, and
/// none of the other; whoever comes while the other kind waits lets it go first, so that neither waits for longer than one turn. Nothing
/// that goes on inside waits for a store's turn to be written, or runs anything of the application's.
final class SnapshotGate: Sendable {
    /// One kind of work.
    private struct Side {
        /// How much of it is inside.
        var inside = 0
        var waiting: [DispatchSemaphore] = []

        mutating func queue() -> DispatchSemaphore {
            let semaphore = DispatchSemaphore(value: 0)
            waiting.append(semaphore)
            return semaphore
        }

        /// Lets in all that wait; they count as inside from now on.
        mutating func admit() {
            inside += waiting.count
            for semaphore in waiting { semaphore.signal() }
            waiting = []
        }

        /// Goes in; a semaphore to wait for where the other side is inside, or waits.
        mutating func enter(besides other: Side) -> DispatchSemaphore? {
            guard other.inside == 0 && other.waiting.isEmpty else { return queue() }
            inside += 1
            return nil
        }

        mutating func leave(to other: inout Side) {
            inside -= 1
            if inside == 0 { other.admit() }
        }
    }

    private struct State {
        var snapshots = Side()
        var commits = Side()
    }

    private let state = Mutex(State())

    /// Starts taking snapshots; ``endTaking()`` is called as soon as all are taken.
    func beginTaking() { state.withLock { $0.snapshots.enter(besides: $0.commits) }?.wait() }

    func endTaking() { state.withLock { $0.snapshots.leave(to: &$0.commits) } }

    /// Runs `body`, which commits in several stores: a snapshot shows all of it or nothing.
    func commit<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.commits.enter(besides: $0.snapshots) }?.wait()
        defer { endCommit() }
        return try body()
    }

    /// Waits, after a commit in one store, for the snapshots that are being taken and may be without it: what is saved next must not be
    /// in the rest of them.
    func awaitSnapshots() {
        guard let wait = state.withLock({ $0.snapshots.inside == 0 ? nil : $0.commits.queue() }) else { return }
        wait.wait()
        endCommit()
    }

    private func endCommit() { state.withLock { $0.commits.leave(to: &$0.snapshots) } }
}
