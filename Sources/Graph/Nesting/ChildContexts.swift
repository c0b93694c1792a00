import StrataCoordinator
import StrataModel
import Synchronization

/// What a context has to tell its children, which ask for it on their own queues: which objects have other IDs now, and what others changed.
final class ChildContexts: Sendable {
    /// An object's new ID, by the temporary reference that it had.
    typealias NewID = (temporary: Int64, id: ObjectID)

    private struct Child {
        /// How many new IDs there had been when the child asked last.
        var heard: Int
        /// Where what others changed goes.
        var inbox: MergeInbox?
        /// Whether it wants to know of what is no batch request.
        var wantsSaves = false
    }

    private struct State {
        var children: [Int: Child] = [:]
        var nextChild = 0
        /// The new IDs that some child has not asked for.
        var newIDs: [NewID] = []
        /// How many were there before these.
        var forgotten = 0

        /// Forgets what all children know.
        mutating func forgetHeard() {
            let heard = children.values.map(\.heard).min() ?? forgotten + newIDs.count
            if heard == forgotten { return }
            newIDs.removeFirst(heard - forgotten)
            forgotten = heard
        }
    }

    private let state = Mutex(State())

    // MARK: - Children

    /// Adds a child, which knows all IDs as they are now.
    func add() -> Int {
        state.withLock { state in
            state.nextChild += 1
            state.children[state.nextChild] = Child(heard: state.forgotten + state.newIDs.count)
            return state.nextChild
        }
    }

    func remove(_ child: Int) {
        state.withLock { state in
            state.children[child] = nil
            state.forgetHeard()
        }
    }

    var isEmpty: Bool { state.withLock { $0.children.isEmpty } }

    // MARK: - New IDs

    /// Tells the children that an object has another ID.
    func tell(_ temporary: Int64, _ id: ObjectID) {
        state.withLock { state in
            if state.children.isEmpty { return }
            state.newIDs.append((temporary, id))
        }
    }

    /// Whether there are no new IDs that some child has not asked for.
    var knowAllIDs: Bool { state.withLock { $0.newIDs.isEmpty } }

    /// Returns whether there are new IDs that a child has not asked for yet.
    func hasNewIDs(for child: Int) -> Bool {
        state.withLock { state in state.children[child].map { $0.heard < state.forgotten + state.newIDs.count } ?? false }
    }

    /// Returns the new IDs that a child has not asked for yet.
    func takeNewIDs(for child: Int) -> [NewID] {
        state.withLock { state in
            guard let heard = state.children[child]?.heard else { return [] }
            let last = state.forgotten + state.newIDs.count
            if heard == last { return [] }
            let new = Array(state.newIDs[(heard - state.forgotten)...])
            state.children[child]?.heard = last
            state.forgetHeard()
            return new
        }
    }

    // MARK: - Changes

    /// Where a child is told of changes.
    func setInbox(_ inbox: MergeInbox, of child: Int) { state.withLock { $0.children[child]?.inbox = inbox } }

    /// Has a child be told of all changes, or of batch requests only.
    func setWantsSaves(_ wantsSaves: Bool, of child: Int) { state.withLock { $0.children[child]?.wantsSaves = wantsSaves } }

    /// Whether any child wants to be told of changes.
    var areListening: Bool { state.withLock { $0.children.values.contains(where: \.wantsSaves) } }

    /// Tells all children that anything may have changed.
    func tellEverything() {
        let inboxes = state.withLock { $0.children.values.compactMap(\.inbox) }
        for inbox in inboxes { inbox.addEverything() }
    }

    /// Tells the children of changes, but for the one that made them.
    ///
    /// - Parameter isForAll: Whether those hear of it, too, that do not want to be told of changes.
    func tell(_ changes: RemoteChanges, except child: Int? = nil, toAll isForAll: Bool = false) {
        if changes.isEmpty { return }
        let inboxes = state.withLock { state in
            state.children.compactMap { $0.key == child || !($0.value.wantsSaves || isForAll) ? nil : $0.value.inbox }
        }
        for inbox in inboxes { inbox.add(changes, toAll: isForAll) }
    }
}
