import StrataCoordinator
import Synchronization

/// What others changed, on its way to a context.
///
/// A context that nobody uses for long is told of each object once, and of so many objects that it had better read everything anew, of none.
final class MergeInbox: Sendable {
    /// What has come, by what reaches a context's children with it.
    struct Mail: Sendable {
        /// What reaches those that want to be told.
        var saves = RemoteChanges()
        /// What reaches all.
        var batches = RemoteChanges()
        /// Whether more came than is worth a list: anything may have changed.
        var isOverflown = false
    }

    private struct State {
        var saves: [RemoteChanges] = []
        var batches: [RemoteChanges] = []
        /// How many objects are listed, some of them several times.
        var count = 0
        /// From how many on they are listed anew, each once.
        var most = MergeInbox.leastCount
        var isOverflown = false
        /// Has the context look into the inbox.
        var announce: (@Sendable () -> Void)?

        var isEmpty: Bool { count == 0 && !isOverflown }

        mutating func forget() {
            (saves, batches, count) = ([], [], 0)
            most = MergeInbox.leastCount
        }

        /// Lists each object once.
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

    // What several idle contexts keep of one event is the same memory, until it is listed anew.
    private static let leastCount = greatestCount
    private static let greatestCount = 100_000

    private let state = Mutex(State())
    private let hasMail = Atomic<Bool>(false)

    /// Has the context be told from now on.
    func open(_ announce: @escaping @Sendable () -> Void) { state.withLock { $0.announce = announce } }

    /// Adds changes, on any thread.
    ///
    /// - Complexity: O(n) in the changes, in the mean.
    func add(_ changes: RemoteChanges, toAll isForAll: Bool = false) {
        if changes.isEmpty { return }
        deliver { state in
            if state.isOverflown { return }
            if isForAll { state.batches.append(changes) } else { state.saves.append(changes) }
            state.count += changes.count
            if state.count > state.most { state.compact() }
        }
    }

    /// Takes note that anything may have changed, on any thread.
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

    /// What has come; `nil` where nothing has.
    func takeAll() -> Mail? {
        guard hasMail.load(ordering: .acquiring) else { return nil }
        return state.withLock { state in
            defer {
                state.forget()
                state.isOverflown = false
            }
            hasMail.store(false, ordering: .releasing)
            return Mail(
                saves: RemoteChanges(uniting: state.saves), batches: RemoteChanges(uniting: state.batches), isOverflown: state.isOverflown)
        }
    }
}
