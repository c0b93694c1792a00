import StrataCoordinator
import StrataStore
import Synchronization

/// Brings a context what others save to its parent, or to the stores.
final class AutomaticMerging {
    private let subscription: SaveEventSubscription?
    private let parent: ParentContext?

    init(into context: ManagedObjectContext) {
        parent = context.parent
        let (sender, inbox) = (context.remoteChanges.sender, context.remoteChanges.inbox)
        // What reaches all contexts comes without it.
        subscription =
            parent != nil
            ? nil
            : (context.coordinator as? PersistentStoreCoordinator)?.observeSaves { event in
                if event.origin.sender != sender && !event.origin.reachesAllContexts { inbox.add(event.changes) }
            }
        parent?.setWantsSaves(true)
    }

    deinit { parent?.setWantsSaves(false) }
}

extension ManagedObjectContext {
    /// Whether what others save comes into this context by itself; false by default.
    ///
    /// Others are the other contexts of the coordinator; to a child they are its parent and the parent's other children. What other coordinators and
    /// processes save comes where the store is opened with `postsRemoteChanges`. Batch requests come into every context, unless they say
    /// otherwise, see `BatchUpdateRequest.mergesIntoContexts`.
    ///
    /// It is merged as ``mergeChanges(fromRemoteContextSave:)`` does: objects here have the new values when they are touched next, and keep
    /// their own changes. It comes some time soon after the save, on the context's queue or actor; into a context that has none, when it
    /// fetches next. Into one that is pinned to a state of the stores, see ``setQueryGenerationFrom(_:)``, it comes when that is over.
    public var automaticallyMergesChangesFromParent: Bool {
        get { options.automaticallyMergesChangesFromParent }
        set {
            assertQueue()
            options.automaticallyMergesChangesFromParent = newValue
            updateMerging()
        }
    }

    /// Has what others save come by itself where the application, or somebody who follows a query, wants it.
    func updateMerging() {
        let isWanted = options.automaticallyMergesChangesFromParent || !observation.signals.isEmpty
        if isWanted == (remoteChanges.subscriptions.merging != nil) { return }
        remoteChanges.subscriptions.merging = isWanted ? AutomaticMerging(into: self) : nil
    }

    /// Merges what has come.
    func mergeWaiting() {
        if readsHeldGeneration { return }
        guard let mail = remoteChanges.inbox.takeAll() else { return }
        if mail.isOverflown { mergeEverything() }
        merge(mail.saves, intoAllChildren: false, registersInserted: options.semantics.registersMergedInsertions)
        merge(mail.batches, intoAllChildren: true)
    }

    /// Merges what has come here and to the parents, these first.
    func mergeFamilyWaiting() {
        parent?.mergeWaiting()
        mergeWaiting()
    }

    /// Has what comes be merged where the context's work is done; one of which nobody knows where merges when it fetches.
    func openInbox() {
        remoteChanges.inbox.open { [weakReference, executor, signals = observation.signals] in
            if !executor.schedule({ weakReference.object?.mergeWaiting() }) { signals.raiseAll() }
        }
        guard parent == nil, let coordinator = coordinator as? PersistentStoreCoordinator else { return }
        loader.onDiagnostic = { [weak coordinator] diagnostic in coordinator?.warn(diagnostic.description) }
        remoteChanges.subscriptions.batches = coordinator.reachByBatches({ [occupancy = identity.occupancy] in occupancy.isOccupied }) {
            [inbox = remoteChanges.inbox] in
            inbox.add($0, toAll: true)
        }
    }
}
