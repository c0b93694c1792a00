import StrataCoordinator
import Synchronization

/// The saves of other contexts that a context has not merged yet, and what distinguishes its own saves from them.
// All are constants of a constant of the context: a fetch reads the inbox without a reference count.
struct RemoteChangeState {
    /// The changes that wait to be merged, added from any thread.
    let inbox = MergeInbox()
    /// The sender of the context's own saves.
    let sender = RemoteChangeState.lastSender.add(1, ordering: .relaxed).newValue
    private static let lastSender = Atomic<UInt64>(0)
    let subscriptions = RemoteChangeSubscriptions()
}

/// The subscriptions to what other contexts save; they end with the context.
final class RemoteChangeSubscriptions {
    /// The subscription to others' saves; `nil` where they are not merged automatically.
    var merging: AutomaticMerging?
    /// The subscription to batch requests; `nil` in a child, which its parent notifies.
    var batches: SaveEventSubscription?
}
