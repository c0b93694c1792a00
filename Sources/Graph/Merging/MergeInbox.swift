import StrataCoordinator
import Synchronization

/// What others changed, on its way to a context.
final class MergeInbox: Sendable {
    private let waiting = Mutex(RemoteChanges())
    /// Has the context look into the inbox.
    private let announce: @Sendable () -> Void

    init(_ announce: @escaping @Sendable () -> Void) { self.announce = announce }

    /// Adds changes, on any thread.
    func add(_ changes: RemoteChanges) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.add(changes) }
            return waiting.isEmpty
        }
        if isFirst { announce() }
    }

    /// What has come.
    func takeAll() -> RemoteChanges {
        waiting.withLock { waiting in
            defer { waiting = RemoteChanges() }
            return waiting
        }
    }
}
