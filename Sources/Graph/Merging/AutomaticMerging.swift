import StrataCoordinator
import StrataStore
import Synchronization

/// Brings a context what others save to its parent, or to the stores.
final class AutomaticMerging {
    private let subscription: SaveEventSubscription?
    private let parent: ParentContext?

    init(into context: ManagedObjectContext) {
        parent = context.parent
        let (sender, inbox) = (context.serial, context.inbox)
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
        get { mergesAutomatically }
        set {
            assertQueue()
            mergesAutomatically = newValue
            updateMerging()
        }
    }

    /// Has what others save come by itself where the application, or somebody who follows a query, wants it.
    func updateMerging() {
        let isWanted = mergesAutomatically || !signals.isEmpty
        if isWanted == (merging != nil) { return }
        merging = isWanted ? AutomaticMerging(into: self) : nil
    }

    /// Merges what has come.
    func mergeWaiting() {
        if readsHeldGeneration { return }
        guard let mail = inbox.takeAll() else { return }
        if mail.isOverflown { mergeEverything() }
        merge(currentChanges(mail.saves), intoAllChildren: false, registersInserted: counterpart != nil)
        merge(currentChanges(mail.batches), intoAllChildren: true)
    }

    /// Returns waiting changes as they are now.
    ///
    /// A later save may have inserted a deleted object again, this context's own among them, and a parent may have taken a deletion back: such
    /// an object was updated. An object that was deleted since stays deleted. What cannot be read is merged as it came.
    ///
    /// - Complexity: One read of rows for each entity hierarchy of which a registered object was deleted; else none.
    private func currentChanges(_ changes: RemoteChanges) -> RemoteChanges {
        let deleted = changes.deleted.filter { registered($0).map { !$0.isGone } ?? false }
        let inserted = (changes.inserted + changes.updated).filter { registered($0)?.isGone ?? false }
        let ids = deleted + inserted
        if ids.isEmpty { return changes }
        // A store that is in memory as a whole may be older than the changes.
        loader.refreshStores(of: ids)
        guard let existing = try? loader.existingIDs(ids) else { return changes }
        let missing = Set(ids).subtracting(existing)
        var current = changes
        current.deleted.removeAll(where: existing.contains)
        current.inserted.removeAll(where: missing.contains)
        current.updated.removeAll(where: missing.contains)
        current.updated += deleted.filter(existing.contains)
        return current
    }

    /// Merges what has come here and to the parents, these first.
    func mergeFamilyWaiting() {
        parent?.mergeWaiting()
        mergeWaiting()
    }

    /// Has what comes be merged where the context's work is done; one of which nobody knows where merges when it fetches.
    func openInbox() {
        inbox.open { [lifeline, home, signals] in
            if !home.schedule({ lifeline.object?.mergeWaiting() }) { signals.raiseAll() }
        }
        guard parent == nil, let coordinator = coordinator as? PersistentStoreCoordinator else { return }
        loader.onDiagnostic = { [weak coordinator] diagnostic in coordinator?.warn(diagnostic.description) }
        reach = coordinator.reachByBatches({ [occupancy = identity.occupancy] in occupancy.isOccupied }) { [inbox] in
            inbox.add($0, toAll: true)
        }
    }
}
