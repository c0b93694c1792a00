import StrataCoordinator
import Synchronization

/// The unmerged saves of other contexts, and the sender that distinguishes the context's own saves.
// Constants of a constant of the context: a fetch reads the inbox without a reference count.
struct RemoteChangeState {
    /// The changes to merge, added from any thread.
    let inbox = MergeInbox()
    /// The sender of the context's own saves.
    let sender = RemoteChangeState.lastSender.add(1, ordering: .relaxed).newValue
    private static let lastSender = Atomic<UInt64>(0)
    let subscriptions = RemoteChangeSubscriptions()
}

/// The subscriptions to saves of other contexts; they end with the context.
final class RemoteChangeSubscriptions {
    var merging: AutomaticMerging?
    /// The subscription to batch requests; `nil` in a child, which its parent notifies.
    var batches: SaveEventSubscription?
}
