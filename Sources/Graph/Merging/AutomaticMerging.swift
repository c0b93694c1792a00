import StrataCoordinator
import StrataStore
import Synchronization

/// Brings a context what others save to its parent, or to the stores.
final class AutomaticMerging {
    private let inbox: MergeInbox
    private let subscription: SaveEventSubscription?
    private let parent: ParentContext?

    // Unchecked: the context is touched where its work is done.
    private struct Recipient: @unchecked Sendable {
        weak var context: ManagedObjectContext?
        let home: ContextHome
    }

    init(into context: ManagedObjectContext) {
        let recipient = Recipient(context: context, home: context.home)
        // A context of which nobody knows where its work is done merges when it fetches.
        inbox = MergeInbox { _ = recipient.home.schedule { recipient.context?.mergeWaiting() } }
        parent = context.parent
        let sender = context.serial
        subscription =
            parent != nil
            ? nil
            : (context.coordinator as? PersistentStoreCoordinator)?.observeSaves { [inbox] event in
                if event.origin.sender != sender { inbox.add(event.changes) }
            }
        parent?.setInbox(inbox)
    }

    deinit { parent?.setInbox(nil) }

    /// What has come since this was asked last.
    func takeAll() -> RemoteChanges { inbox.takeAll() }
}

extension ManagedObjectContext {
    /// Whether what others save comes into this context by itself; false unless said otherwise.
    ///
    /// Others are the other contexts of the coordinator, and batch requests; to a child they are its parent and the parent's other
    /// children. What other coordinators and processes save does not come by itself.
    ///
    /// It is merged as ``mergeChanges(fromRemoteContextSave:)`` does: objects here have the new values when they are touched next, and keep
    /// their own changes. It comes some time soon after the save, on the context's queue or actor; into a context that has none, when it
    /// fetches next.
    public var automaticallyMergesChangesFromParent: Bool {
        get { merging != nil }
        set {
            assertQueue()
            if newValue == (merging != nil) { return }
            merging = newValue ? AutomaticMerging(into: self) : nil
        }
    }

    /// Merges what has come.
    func mergeWaiting() {
        guard let changes = merging?.takeAll(), !changes.isEmpty else { return }
        mergeChanges(fromRemoteContextSave: changes)
    }
}
