import StrataCoordinator
import Synchronization

/// The changes of others that a context has not merged yet.
///
/// For an idle context each object is listed once, and none beyond the number at which refreshing all is cheaper.
final class MergeInbox: Sendable {
    /// The changes, by whether all children of the context are notified of them.
    struct Mail: Sendable {
        /// For children with automatic merging.
        var saves = RemoteChanges()
        /// Whether all of the saves name owners, see `SaveEvent.namesOwners`.
        var savesNameOwners = true
        var batches = RemoteChanges()
        /// Whether the list overflowed: anything may have changed.
        var isOverflown = false
    }

    private struct State {
        var saves: [RemoteChanges] = []
        var savesNameOwners = true
        var batches: [RemoteChanges] = []
        /// The number of listed objects, with duplicates.
        var count = 0
        /// The count from which on duplicates are removed.
        var most = MergeInbox.leastCount
        var isOverflown = false
        /// Schedules the context's merge.
        var announce: (@Sendable () -> Void)?

        var isEmpty: Bool { count == 0 && !isOverflown }

        mutating func forget() {
            (saves, batches, count) = ([], [], 0)
            savesNameOwners = true
            most = MergeInbox.leastCount
        }

        mutating func compact() {
            (saves, batches) = ([RemoteChanges(uniting: saves)], [RemoteChanges(uniting: batches)])
            count = saves[0].count + batches[0].count
            most = max(MergeInbox.leastCount, 2 * count)
            if count > MergeInbox.greatestCount {
                forget()
                isOverflown = true
            }
        }
    }

    // Idle contexts share the memory of one event until duplicates are removed.
    private static let leastCount = greatestCount
    private static let greatestCount = 100_000

    private let state = Mutex(State())
    private let hasMail = Atomic<Bool>(false)

    /// Starts notifying the context.
    func open(_ announce: @escaping @Sendable () -> Void) { state.withLock { $0.announce = announce } }

    /// Adds changes, on any thread.
    ///
    /// - Complexity: O(n) in the changes, in the mean.
    func add(_ changes: RemoteChanges, namesOwners: Bool = false, toAll isForAll: Bool = false) {
        if changes.isEmpty { return }
        deliver { state in
            if state.isOverflown { return }
            if isForAll {
                state.batches.append(changes)
            } else {
                state.saves.append(changes)
                if !namesOwners { state.savesNameOwners = false }
            }
            state.count += changes.count
            if state.count > state.most { state.compact() }
        }
    }

    /// Records that anything may have changed, on any thread.
    func addEverything() {
        deliver { state in
            state.forget()
            state.isOverflown = true
        }
    }

    private func deliver(_ change: (inout State) -> Void) {
        let announce = state.withLock { state in
            let isFirst = state.isEmpty
            change(&state)
            hasMail.store(true, ordering: .releasing)
            return isFirst ? state.announce : nil
        }
        announce?()
    }

    func takeAll() -> Mail? {
        guard hasMail.load(ordering: .acquiring) else { return nil }
        return state.withLock { state in
            defer {
                state.forget()
                state.isOverflown = false
            }
            hasMail.store(false, ordering: .releasing)
            return Mail(
                saves: RemoteChanges(uniting: state.saves), savesNameOwners: state.savesNameOwners,
                batches: RemoteChanges(uniting: state.batches), isOverflown: state.isOverflown)
        }
    }
}
