import StrataCoordinator
import Synchronization

/// What other contexts saved, on its way into a context, and what tells the context's own saves from these.
struct RemoteChangeState {
    /// The changes that wait to be merged, added from any thread.
    let inbox = MergeInbox()
    /// The subscription to others' saves; `nil` where they are not merged automatically.
    var merging: AutomaticMerging?
    /// The subscription to batch requests; `nil` in a child, which its parent notifies.
    var batchSubscription: SaveEventSubscription?
    /// The sender of the context's own saves.
    let sender = RemoteChangeState.lastSender.add(1, ordering: .relaxed).newValue
    private static let lastSender = Atomic<UInt64>(0)
    /// The row versions that the context saved while it has children.
    var ownVersions = OwnVersions()
}
