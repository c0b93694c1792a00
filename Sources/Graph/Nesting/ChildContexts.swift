import StrataCoordinator
import StrataModel
import Synchronization

/// The state that a context shares with its children on other queues: new IDs of objects, and changes of others.
final class ChildContexts: Sendable {
    /// An object's new ID, by the temporary reference that it had.
    typealias NewID = (temporary: Int64, id: ObjectID)

    private struct Child {
        /// The number of new IDs when the child asked last.
        var taken: Int
        /// The child's inbox for changes of others.
        var inbox: MergeInbox?
        /// Whether the child merges saves automatically, not only batch requests.
        var wantsSaves = false
    }

    private struct State {
        var children: [Int: Child] = [:]
        var nextChild = 0
        /// The new IDs that some child has not taken.
        var newIDs: [NewID] = []
        /// The number of IDs before these.
        var forgotten = 0

        /// Discards the IDs that all children have taken.
        mutating func forgetTaken() {
            let taken = children.values.map(\.taken).min() ?? forgotten + newIDs.count
            if taken == forgotten { return }
            newIDs.removeFirst(taken - forgotten)
            forgotten = taken
        }
    }

    private let state = Mutex(State())

    /// Adds a child, which knows all current IDs.
    func add() -> Int {
        state.withLock { state in
            state.nextChild += 1
            state.children[state.nextChild] = Child(taken: state.forgotten + state.newIDs.count)
            return state.nextChild
        }
    }

    func remove(_ child: Int) {
        state.withLock { state in
            state.children[child] = nil
            state.forgetTaken()
        }
    }

    var isEmpty: Bool { state.withLock { $0.children.isEmpty } }

    /// Adds a new ID of an object.
    func notify(_ temporary: Int64, _ id: ObjectID) {
        state.withLock { if !$0.children.isEmpty { $0.newIDs.append((temporary, id)) } }
    }

    /// Whether all children have taken all new IDs.
    var knowAllIDs: Bool { state.withLock { $0.newIDs.isEmpty } }

    func hasNewIDs(for child: Int) -> Bool {
        state.withLock { state in state.children[child].map { $0.taken < state.forgotten + state.newIDs.count } ?? false }
    }

    /// Returns the new IDs that a child has not taken yet.
    func takeNewIDs(for child: Int) -> [NewID] {
        state.withLock { state in
            guard let taken = state.children[child]?.taken else { return [] }
            let last = state.forgotten + state.newIDs.count
            if taken == last { return [] }
            let new = Array(state.newIDs[(taken - state.forgotten)...])
            state.children[child]?.taken = last
            state.forgetTaken()
            return new
        }
    }

    func setInbox(_ inbox: MergeInbox, of child: Int) { state.withLock { $0.children[child]?.inbox = inbox } }

    /// Notifies a child of all changes, or of batch requests only.
    func setWantsSaves(_ wantsSaves: Bool, of child: Int) { state.withLock { $0.children[child]?.wantsSaves = wantsSaves } }

    var areListening: Bool { state.withLock { $0.children.values.contains(where: \.wantsSaves) } }

    /// Notifies all children that anything may have changed.
    func notifyOfEverything() {
        let inboxes = state.withLock { $0.children.values.compactMap(\.inbox) }
        for inbox in inboxes { inbox.addEverything() }
    }

    /// Notifies the children of changes, except the one that made them.
    ///
    /// - Parameter isForAll: Whether children without automatic merging are notified, too.
    func notify(_ changes: RemoteChanges, except child: Int? = nil, toAll isForAll: Bool = false) {
        if changes.isEmpty { return }
        let inboxes = state.withLock { state in
            state.children.compactMap { $0.key == child || !($0.value.wantsSaves || isForAll) ? nil : $0.value.inbox }
        }
        for inbox in inboxes { inbox.add(changes, toAll: isForAll) }
    }
}
