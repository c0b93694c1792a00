import StrataGraph
import StrataModel

/// The results of a controller, shared by both of its forms.
final class FetchedResultsState {
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet {
            delegateTakesDifferences = true
            // A delegate that is set after the first fetch knows the results of that.
            reportedIDs = differs ? ids : []
        }
    }
    /// False once the delegate's default implementation was called.
    var delegateTakesDifferences = true
    weak var original: (any FetchedResultsSource)?
    /// The form that delegates get.
    weak var erasedForm: NSFetchedResultsController<any NSFetchRequestResult>?

    private var results = Results()
    private var tracking = Tracking()
    /// The objects that the current event inserted or saved for the first time.
    private var insertedObjects: Set<ObjectIdentifier> = []
    /// The IDs of the last difference, if the delegate takes differences.
    private var reportedIDs: [NSManagedObjectID] = []
    private var isFetching = false

    private struct Results {
        var objects: [AnyObject]?
        var sections: [FetchedSection]?
        /// Incremented at each change of the results.
        var version = 0
    }

    private struct Tracking {
        var tracker: FetchedResultsTracker?
        /// The subscription to all events of the context, which runs before the tracker's.
        var subscription: ContextEventSubscription?
    }

    var objects: [AnyObject]? { results.objects }
    var sections: [FetchedSection]? { results.sections }
    var version: Int { results.version }

    init(_ context: NSManagedObjectContext, _ sectionNameKeyPath: String?, cacheName: String?) {
        (self.context, self.sectionNameKeyPath, self.cacheName) = (context, sectionNameKeyPath, cacheName)
    }

    deinit {
        // The last reference to a controller may be released off its context's queue, which may be in use.
        guard context.concurrencyType == .privateQueueConcurrencyType, !context.executor.isCurrent else { return }
        let leaving = LeavingListeners([tracking.subscription, tracking.tracker])
        tracking = Tracking()
        context.executor.async { leaving.cancel() }
    }

    static func firstLetter(of name: String) -> String? { name.isEmpty ? nil : String(name.prefix(1)).uppercased() }

    func indexTitle(of name: String) -> String? {
        if let original { original.sectionIndexTitle(forSectionName: name) } else { erasedForm?.sectionIndexTitle(forSectionName: name) }
    }

    // MARK: - Fetching

    func performFetch<Result>(_ request: NSFetchRequest<Result>) throws {
        let before = isFetching
        isFetching = true
        defer { isFetching = before }
        // Later changes are another event: they count as changes of the results.
        context.processPendingChanges()
        try context.cocoa {
            guard request.resultType == .managedObjectResultType else { return try fetchValues(request) }
            let compiled = try request.compiled(in: context)
            let tracker = tracker(for: compiled)
            try tracker.performFetch(compiled)
            tracking.tracker = tracker
            take(tracker)
        }
    }

    private func handle(_ event: ContextEvent) {
        insertedObjects = delegate == nil ? [] : Set(event.inserted.lazy.map { ObjectIdentifier($0) })
        // As on Apple's systems, the results stay as they were, without notifications, until they are fetched again.
        if event.kind == .didReset { tracking.tracker = nil }
    }

    /// Returns the present tracker, or one for another entity or coordinator.
    private func tracker(for request: ObjectFetchRequest<ManagedObject>) -> FetchedResultsTracker {
        if let tracker = tracking.tracker, tracker.follows(request, context.graph) { return tracker }
        tracking.subscription = context.graph.observeEvents { [weak self] in self?.handle($0) }
        return FetchedResultsTracker(request, context.graph, sectionNameKeyPath) { [weak self] in self?.handle($0) }
    }

    private func take(_ tracker: FetchedResultsTracker) {
        let objects: [AnyObject] = tracker.objects
        var start = 0
        let sections = tracker.sections.map { name, count in
            defer { start += count }
            return FetchedSection(name, objects[start..<start + count], of: self)
        }
        set(objects, sections)
    }

    private func set(_ objects: [AnyObject], _ sections: [FetchedSection]) {
        results = Results(objects: objects, sections: sections, version: results.version + 1)
        if isFetching { reportedIDs = differs ? ids : [] }
    }

    /// Fetches results that are not tracked.
    private func fetchValues<Result>(_ request: NSFetchRequest<Result>) throws {
        let objects: [AnyObject] = try context.fetch(request).map { $0 as AnyObject }
        tracking.tracker = nil
        guard let sectionNameKeyPath else { return set(objects, [FetchedSection("", objects[...], of: self)]) }
        let sections = try SectionKey.sections(of: objects) {
            SectionName.of($0, sectionNameKeyPath, in: context)
        } outOfOrder: {
            SectionName.outOfOrder($0, at: $1)
        }
        set(objects, sections.map { FetchedSection($0.name, objects[$0.range], of: self) })
    }

    /// Returns the index path of a result; `nil` for other objects.
    func indexPath(of object: AnyObject) -> IndexPath? {
        if let tracker = tracking.tracker { return (object as? ManagedObject).flatMap { tracker.indexPath(of: $0) } }
        for (number, section) in (sections ?? []).enumerated() {
            if let index = section.results.firstIndex(where: { $0 === object }) {
                return IndexPath(item: index - section.results.startIndex, section: number)
            }
        }
        return nil
    }

    // MARK: - Notifying the delegate

    private var differs: Bool { sectionNameKeyPath == nil && delegate != nil && delegateTakesDifferences }

    private var ids: [NSManagedObjectID] {
        (objects ?? []).compactMap { ($0 as? ManagedObject).map { NSManagedObjectID($0.objectID) } }
    }

    private func handle(_ changes: FetchedResultsChanges<ManagedObject>) {
        // Changes during the fetch are in its results.
        guard !isFetching, let tracker = tracking.tracker, let before = sections else { return }
        take(tracker)
        guard let delegate, let controller = original?.erased ?? erasedForm else { return }
        // New objects were reported as they were inserted: their first save changes the ID and no other values.
        let objectChanges = changes.objectChanges.filter {
            if case .update(let object, _, _) = $0 { !insertedObjects.contains(ObjectIdentifier(object)) } else { true }
        }
        let isNothingNew = changes.sectionChanges.isEmpty && objectChanges.isEmpty
        if differs, !isNothingNew || ids != reportedIDs, reportDifference(controller, delegate) { return }
        if isNothingNew { return }
        delegate.controllerWillChangeContent(controller)
        for change in changes.sectionChanges {
            let (list, index, type): ([FetchedSection], Int, NSFetchedResultsChangeType) =
                switch change {
                case .insert(_, let index): (sections ?? [], index, .insert)
                case .delete(_, let index): (before, index, .delete)
                }
            guard list.indices.contains(index) else { continue }
            // A deleted section has no objects any more.
            let section = type == .delete ? FetchedSection(list[index].name, [], of: self) : list[index]
            delegate.controller(controller, didChange: section, atSectionIndex: index, for: type)
        }
        for change in objectChanges { FetchedResultsState.report(change, controller, delegate) }
        delegate.controllerDidChangeContent(controller)
    }

    /// - Returns: Whether the delegate takes differences.
    private func reportDifference(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, _ delegate: any NSFetchedResultsControllerDelegate
    ) -> Bool {
        let now = ids
        let difference = now.difference(from: reportedIDs).inferringMoves()
        reportedIDs = now
        delegate.controller(controller, didChangeContentWith: difference)
        if !delegateTakesDifferences { reportedIDs = [] }
        return delegateTakesDifferences
    }

    private static func report(
        _ change: FetchedResultsChanges<ManagedObject>.ObjectChange, _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        _ delegate: any NSFetchedResultsControllerDelegate
    ) {
        switch change {
        case .insert(let object, let path):
            delegate.controller(controller, didChange: object, at: nil, for: .insert, newIndexPath: IndexPath(path))
        case .delete(let object, let path):
            delegate.controller(controller, didChange: object, at: IndexPath(path), for: .delete, newIndexPath: nil)
        case .move(let object, let from, let to):
            delegate.controller(controller, didChange: object, at: IndexPath(from), for: .move, newIndexPath: IndexPath(to))
        case .update(let object, let from, let to):
            delegate.controller(controller, didChange: object, at: IndexPath(from), for: .update, newIndexPath: IndexPath(to))
        }
    }
}

/// The subscriptions to a context, sent to its queue to be cancelled.
// Unchecked: there is no other reference.
private final class LeavingListeners: @unchecked Sendable {
    private var listeners: [AnyObject?]

    init(_ listeners: [AnyObject?]) { self.listeners = listeners }

    func cancel() { listeners = [] }
}
