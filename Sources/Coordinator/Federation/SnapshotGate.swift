import Dispatch
import Synchronization

/// Prevents a save from taking effect in one of a coordinator's stores before, and in another after, a snapshot of
/// both.
///
/// Two kinds of work pass: taking snapshots of several stores, and committing in several. Any number of one kind run
/// together, exclusive of the other; new work yields to a waiting kind, so that neither waits for longer than one
/// round. Nothing inside waits for a store's write lock, or runs application code.
final class SnapshotGate: Sendable {
    private struct Side {
        /// The number of running operations.
        var inside = 0
        var waiting: [DispatchSemaphore] = []

        mutating func queue() -> DispatchSemaphore {
            let semaphore = DispatchSemaphore(value: 0)
            waiting.append(semaphore)
            return semaphore
        }

        /// Admits all waiting operations.
        mutating func admit() {
            inside += waiting.count
            for semaphore in waiting { semaphore.signal() }
            waiting = []
        }

        /// Enters; returns a semaphore to wait for where the other side runs or waits.
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

    private let state = Mutex((snapshots: Side(), commits: Side()))

    /// Starts taking snapshots; ``endTaking()`` is called as soon as all are taken.
    func beginTaking() { state.withLock { $0.snapshots.enter(besides: $0.commits) }?.wait() }

    func endTaking() { state.withLock { $0.snapshots.leave(to: &$0.commits) } }

    /// Runs `body`, which commits in several stores: a snapshot shows all of it or nothing.
    func commit<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.commits.enter(besides: $0.snapshots) }?.wait()
        defer { endCommit() }
        return try body()
    }

    /// Waits, after a commit in one store, for snapshots under way that may lack it: the next save must not be in the
    /// rest of them.
    func awaitSnapshots() {
        guard let wait = state.withLock({ $0.snapshots.inside == 0 ? nil : $0.commits.queue() }) else { return }
        wait.wait()
        endCommit()
    }

    private func endCommit() { state.withLock { $0.commits.leave(to: &$0.snapshots) } }
}
