import Foundation
import StrataGraph
import StrataModel

/// The results of a controller, which all objects that stand for it share.
final class FetchedResultsState {
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet {
            delegateTakesDifferences = true
            // A delegate that comes behind the first fetch knows what that gave.
            toldIDs = differs ? ids : []
        }
    }
    /// False once the delegate showed that it does not.
    var delegateTakesDifferences = true
    /// The controller that the program made.
    weak var original: (any FetchedResultsSource)?
    /// The one that delegates are given.
    weak var twin: NSFetchedResultsController<any NSFetchRequestResult>?

    private(set) var objects: [AnyObject]?
    private(set) var sections: [FetchedSection]?
    /// Another one after each change of the results.
    private(set) var version = 0

    private var tracker: FetchedResultsTracker?
    /// Hears of the context as a whole, before the tracker does.
    private var listening: ContextEventSubscription?
    /// The objects that are new in the context, or in its store, as the context tells just now.
    private var newcomers: Set<ObjectIdentifier> = []
    /// The IDs as they were told last, where the delegate may take differences.
    private var toldIDs: [NSManagedObjectID] = []
    private var isFetching = false

    init(_ context: NSManagedObjectContext, _ sectionNameKeyPath: String?, cacheName: String?) {
        (self.context, self.sectionNameKeyPath, self.cacheName) = (context, sectionNameKeyPath, cacheName)
    }

    deinit {
        // Who gives up the last reference to a controller may be elsewhere than on its context's queue, which may be at work.
        guard context.concurrencyType == .privateQueueConcurrencyType, !context.executor.isCurrent else { return }
        let leaving = LeavingListeners([listening, tracker])
        (listening, tracker) = (nil, nil)
        context.executor.async { leaving.letGo() }
    }

    static func firstLetter(of name: String) -> String? { name.isEmpty ? nil : String(name.prefix(1)).uppercased() }

    func indexTitle(of name: String) -> String? {
        if let original { original.sectionIndexTitle(forSectionName: name) } else { twin?.sectionIndexTitle(forSectionName: name) }
    }

    // MARK: - Fetching

    func performFetch<Result>(_ request: NSFetchRequest<Result>) throws {
        let before = isFetching
        isFetching = true
        defer { isFetching = before }
        // What is changed later on is another event: it counts as a change of the results.
        context.processPendingChanges()
        try context.cocoa {
            guard request.resultType == .managedObjectResultType else { return try fetchValues(request) }
            let compiled = try request.compiled(in: context)
            let tracker = tracker(for: compiled)
            try tracker.performFetch(compiled)
            self.tracker = tracker
            take(tracker)
        }
    }

    private func hear(_ event: ContextEvent) {
        newcomers = delegate == nil ? [] : Set(event.inserted.lazy.map { ObjectIdentifier($0) })
        // As on Apple's systems, the results stay what they were, and nothing is told, until they are fetched anew.
        if event.kind == .didReset { tracker = nil }
    }

    /// The present tracker, or one for another entity or coordinator.
    private func tracker(for request: ObjectFetchRequest<ManagedObject>) -> FetchedResultsTracker {
        if let tracker, tracker.follows(request, context.graph) { return tracker }
        listening = context.graph.observeEvents { [weak self] in self?.hear($0) }
        return FetchedResultsTracker(request, context.graph, sectionNameKeyPath) { [weak self] in self?.hear($0) }
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
        (self.objects, self.sections) = (objects, sections)
        version += 1
        if isFetching { toldIDs = differs ? ids : [] }
    }

    /// Fetches results that nothing is told of later.
    private func fetchValues<Result>(_ request: NSFetchRequest<Result>) throws {
        let objects: [AnyObject] = try context.fetch(request).map { $0 as AnyObject }
        tracker = nil
        guard let sectionNameKeyPath else { return set(objects, [FetchedSection("", objects[...], of: self)]) }
        let sections = try SectionKey.sections(of: objects) {
            SectionName.of($0, sectionNameKeyPath, in: context)
        } outOfOrder: {
            SectionName.outOfOrder($0, at: $1)
        }
        set(objects, sections.map { FetchedSection($0.name, objects[$0.range], of: self) })
    }

    /// The place of a result; `nil` for other objects.
    func indexPath(of object: AnyObject) -> IndexPath? {
        if let tracker { return (object as? ManagedObject).flatMap { tracker.indexPath(of: $0) } }
        for (number, section) in (sections ?? []).enumerated() {
            if let place = section.results.firstIndex(where: { $0 === object }) {
                return IndexPath(item: place - section.results.startIndex, section: number)
            }
        }
        return nil
    }

    // MARK: - Telling

    private var differs: Bool { sectionNameKeyPath == nil && delegate != nil && delegateTakesDifferences }

    private var ids: [NSManagedObjectID] {
        (objects ?? []).compactMap { ($0 as? ManagedObject).map { NSManagedObjectID($0.objectID) } }
    }

    private func hear(_ changes: FetchedResultsChanges<ManagedObject>) {
        // What changes while the results are fetched is in them.
        guard !isFetching, let tracker, let before = sections else { return }
        take(tracker)
        guard let delegate, let controller = original?.erased ?? twin else { return }
        // What is new was told of when it came among the results: saved for the first time, it has another ID and no other values.
        let objectChanges = changes.objectChanges.filter { !$0.isUpdate(of: newcomers) }
        let isNothingNew = changes.sectionChanges.isEmpty && objectChanges.isEmpty
        if differs, !isNothingNew || ids != toldIDs, tellDifference(controller, delegate) { return }
        if isNothingNew { return }
        delegate.controllerWillChangeContent(controller)
        for change in changes.sectionChanges {
            switch change {
            case .insert(_, let index):
                guard let sections, sections.indices.contains(index) else { continue }
                delegate.controller(controller, didChange: sections[index], atSectionIndex: index, for: .insert)
            case .delete(_, let index):
                guard before.indices.contains(index) else { continue }
                delegate.controller(controller, didChange: before[index], atSectionIndex: index, for: .delete)
            }
        }
        for change in objectChanges { FetchedResultsState.tell(change, controller, delegate) }
        delegate.controllerDidChangeContent(controller)
    }

    /// - Returns: Whether the delegate takes differences.
    private func tellDifference(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, _ delegate: any NSFetchedResultsControllerDelegate
    ) -> Bool {
        let now = ids
        let difference = now.difference(from: toldIDs).inferringMoves()
        toldIDs = now
        delegate.controller(controller, didChangeContentWith: difference)
        if !delegateTakesDifferences { toldIDs = [] }
        return delegateTakesDifferences
    }

    private static func tell(
        _ change: FetchedResultsChanges<ManagedObject>.ObjectChange, _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        _ delegate: any NSFetchedResultsControllerDelegate
    ) {
        switch change {
        case .insert(let object, let place):
            delegate.controller(controller, didChange: object, at: nil, for: .insert, newIndexPath: IndexPath(place))
        case .delete(let object, let place):
            delegate.controller(controller, didChange: object, at: IndexPath(place), for: .delete, newIndexPath: nil)
        case .move(let object, let from, let to):
            delegate.controller(controller, didChange: object, at: IndexPath(from), for: .move, newIndexPath: IndexPath(to))
        case .update(let object, let from, let to):
            delegate.controller(controller, didChange: object, at: IndexPath(from), for: .update, newIndexPath: IndexPath(to))
        }
    }
}

extension FetchedResultsChanges.ObjectChange {
    /// Whether one of some objects was changed, and nothing else.
    fileprivate func isUpdate(of objects: Set<ObjectIdentifier>) -> Bool {
        if case .update(let object, _, _) = self { objects.contains(ObjectIdentifier(object)) } else { false }
    }
}

/// What listens to a context, on its way to where that is used.
// Unchecked: nobody else has it.
private final class LeavingListeners: @unchecked Sendable {
    private var listeners: [AnyObject?]

    init(_ listeners: [AnyObject?]) { self.listeners = listeners }

    func letGo() { listeners = [] }
}
