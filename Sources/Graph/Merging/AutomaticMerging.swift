import StrataCoordinator
import StrataStore

/// Delivers the saves of the parent, or of other contexts of the stores, to a context.
final class AutomaticMerging {
    private let subscription: SaveEventSubscription?
    private let parent: ParentContext?

    init(into context: ManagedObjectContext) {
        parent = context.parent
        let (sender, inbox) = (context.remoteChanges.sender, context.remoteChanges.inbox)
        let mergesBatches = context.options.semantics.mergesAllBatches
        // Batch requests reach all contexts without it, by default.
        subscription =
            parent != nil
            ? nil
            : (context.coordinator as? PersistentStoreCoordinator)?.observeSaves { event in
                let origin = event.origin
                if origin.sender == sender || origin.reachesAllContexts || origin.isBatch && !mergesBatches { return }
                inbox.add(event.changes, namesOwners: event.namesOwners)
            }
        parent?.setWantsSaves(true)
    }

    deinit { parent?.setWantsSaves(false) }
}

extension ManagedObjectContext {
    /// Whether saves of others are merged into this context automatically; false by default.
    ///
    /// These are saves of the coordinator's other contexts; for a child, of its parent and the parent's other children.
    /// Saves of other coordinators and processes are included where the store is opened with `postsRemoteChanges`.
    /// Batch requests are merged into every context by default, see `BatchUpdateRequest.mergesIntoContexts`.
    ///
    /// Merging works as ``mergeChanges(fromRemoteContextSave:)``: registered objects get the new values on their next
    /// access, and keep their own changes. It happens soon after the save, on the context's queue or actor; without
    /// one, at the next fetch. A context that is pinned to a query generation, see ``setQueryGenerationFrom(_:)``,
    /// merges afterwards.
    public var automaticallyMergesChangesFromParent: Bool {
        get { options.automaticallyMergesChangesFromParent }
        set {
            assertQueue()
            options.automaticallyMergesChangesFromParent = newValue
            updateMerging()
        }
    }

    /// Subscribes to saves where the application or a live query wants it.
    func updateMerging() {
        let isWanted = options.automaticallyMergesChangesFromParent || !observation.signals.isEmpty
        if isWanted == (remoteChanges.subscriptions.merging != nil) { return }
        remoteChanges.subscriptions.merging = isWanted ? AutomaticMerging(into: self) : nil
    }

    func mergeWaiting() {
        if readsHeldGeneration { return }
        guard let mail = remoteChanges.inbox.takeAll() else { return }
        if mail.isOverflown { mergeEverything() }
        merge(mail.saves, namesOwners: mail.savesNameOwners, registersInserted: options.semantics.registersMergedInsertions)
        merge(mail.batches, intoAllChildren: true)
    }

    /// Merges the inboxes of the parents, and then that of this context.
    func mergeFamilyWaiting() {
        parent?.mergeWaiting()
        mergeWaiting()
    }

    /// Schedules merges on the context's executor; without one it merges at the next fetch.
    func openInbox() {
        remoteChanges.inbox.open { [weakReference, executor, signals = observation.signals] in
            if !executor.schedule({ weakReference.object?.mergeWaiting() }) { signals.raiseAll() }
        }
        guard parent == nil, let coordinator = coordinator as? PersistentStoreCoordinator else { return }
        loader.onDiagnostic = { [weak coordinator] diagnostic in coordinator?.warn(diagnostic.description) }
        remoteChanges.subscriptions.batches = coordinator.reachByBatches({ [registrationFlag = identity.registrationFlag] in
            registrationFlag.isOccupied
        }) {
            [inbox = remoteChanges.inbox] in
            inbox.add($0, toAll: true)
        }
    }
}
