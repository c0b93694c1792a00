import StrataModel
import StrataQuery

/// The results of a fetch, in sections, kept up to date with the context; reports changes by index path, as a list
/// shows them.
///
/// ```swift
/// let controller = FetchedResultsController(
///     ObjectFetchRequest<Person>(sort: [Person.city.ascending, Person.name.ascending]), context: context, sectionNameKeyPath: "city")
/// controller.onChange = { changes in list.apply(changes.snapshot) }
/// try controller.performFetch()
/// ```
/// It follows what its context knows: pending changes, what undo and child contexts do, and what is merged. What other
/// contexts save it sees where the context merges that, see
/// ``ManagedObjectContext/automaticallyMergesChangesFromParent``. Changes are delivered when the context's event ends,
/// see ``ContextEvent/Kind/objectsDidChange``.
///
/// The controller belongs to the context's thread. It keeps its context, and the results, alive. Sections are made of
/// the objects at each fetch; nothing of them is kept in files.
public final class FetchedResultsController<Result: ManagedObject> {
    /// The context that the results belong to.
    public let context: ManagedObjectContext
    /// The request; another one, or another condition, takes effect with ``performFetch()``, which reports the changes.
    public var fetchRequest: ObjectFetchRequest<Result>
    /// The path of the value that divides the results into sections; `nil` without sections, or with a closure.
    public let sectionNameKeyPath: String?
    /// Receives the changes; not kept alive.
    public weak var delegate: (any FetchedResultsControllerDelegate<Result>)?
    /// Called with all changes of each event, after the delegate.
    public var onChange: ((FetchedResultsChanges<Result>) -> Void)?

    private let sectionName: ((Result) -> String)?
    private var results: FetchedResults<Result>?
    private var subscriber: Int?
    private var effect: ObjectsEffect?
    /// The request of the results, whatever ``fetchRequest`` is by now.
    private var observedRequest: ObjectFetchRequest<Result>?
    /// Changed objects that were not reported, as the results could not be fetched.
    private var unreported: Set<ObjectIdentifier> = []
    private var streams: [AsyncStream<FetchedResultsSnapshot>.Continuation] = []

    /// Creates a controller whose sections are objects with equal values at the end of a path.
    ///
    /// - Parameters:
    ///   - request: What to fetch. It sorts by section first: objects of one section have to follow each other.
    ///   - context: The context of the results.
    ///   - sectionNameKeyPath: The path of an attribute, also a transient one or an element of a composite one, over
    ///     to-one relationships; the empty text represents no value, as behind an object that is about to be deleted.
    ///     With `nil` all results are in one section.
    public init(_ request: ObjectFetchRequest<Result>, context: ManagedObjectContext, sectionNameKeyPath: String? = nil) {
        fetchRequest = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        sectionName = nil
    }

    /// Creates a controller whose sections are objects for which a closure gives equal names.
    ///
    /// - Parameters:
    ///   - request: What to fetch. It sorts by section first: objects of one section have to follow each other.
    ///   - context: The context of the results.
    ///   - sectionName: The name of the section of an object.
    public init(_ request: ObjectFetchRequest<Result>, context: ManagedObjectContext, sectionName: @escaping (Result) -> String) {
        fetchRequest = request
        self.context = context
        sectionNameKeyPath = nil
        self.sectionName = sectionName
    }

    deinit {
        if let subscriber { context.removeListener(subscriber) }
        for stream in streams { stream.finish() }
    }

    /// Fetches the results, and follows their changes.
    ///
    /// The first fetch sends no notification; later ones, with another request for example, report the changes.
    ///
    /// - Throws: What a fetch throws; ``FetchedResultsError`` where the objects of a section are not adjacent. The
    ///   results are unchanged then.
    public func performFetch() throws {
        context.assertQueue()
        let effect = try context.effect(onObjectsOf: fetchRequest.untyped) { interest, entity in
            if let sectionNameKeyPath {
                interest.add(sectionNameKeyPath, of: entity)
            } else if sectionName != nil {
                interest.readsAll = true
            }
        }
        let now = try fetch(fetchRequest)
        // The fetch may have merged saves of others, and reported these.
        let before = results
        results = now
        observedRequest = fetchRequest
        self.effect = effect
        if let subscriber { context.removeListener(subscriber) }
        subscriber = context.subscribe(effect.observed) { [weak self] in self?.receive($0, $1) }
        if let before { notify(FetchedResultsChanges(from: before, to: now, touched: [])) }
    }

    /// The results, in their order; `nil` before the first ``performFetch()``.
    public var fetchedObjects: [Result]? { results?.objects }
    /// The sections, in their order; `nil` before the first ``performFetch()``.
    ///
    /// Without section names there is one.
    public var sections: [FetchedResultsSection<Result>]? { results?.sections }
    /// The titles of the sections that have one, each once.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return (sections ?? []).compactMap(\.indexTitle).filter { seen.insert($0).inserted }
    }
    /// Returns the index of the first section with an index title; `nil` where there is none.
    public func section(forSectionIndexTitle title: String) -> Int? { sections?.firstIndex { $0.indexTitle == title } }

    /// The results as they are now, by ID; empty before the first ``performFetch()``.
    public var snapshot: FetchedResultsSnapshot { FetchedResultsSnapshot(results ?? FetchedResults()) }

    /// The results now and after each change, by ID, as a sequence, which buffers only the latest.
    ///
    /// It ends with the controller.
    public var snapshots: AsyncStream<FetchedResultsSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        if results != nil { continuation.yield(snapshot) }
        streams.append(continuation)
        return stream
    }

    /// Returns the result at an index path; `nil` where there is none.
    public func object(at path: ResultIndexPath) -> Result? { results?.object(at: path) }

    /// Returns the index path of a result; `nil` for other objects.
    public func indexPath(forObject object: Result) -> ResultIndexPath? { results?.path(of: object) }

    private func fetch(_ request: ObjectFetchRequest<Result>) throws -> FetchedResults<Result> {
        try FetchedResults(context.fetch(request), name(request))
    }

    /// Returns the closure for section names, by the values that the request sorts by, which may be the saved ones.
    private func name(_ request: ObjectFetchRequest<Result>) -> ((Result) throws -> String)? {
        guard let path = sectionNameKeyPath else { return sectionName }
        if request.includesPendingChanges { return { try $0.text(at: path) } }
        let saved = context.preparation(of: request.untyped)
        return { object in
            do { return try saved.value(of: .keyPath(path), for: object.objectID).asAny.map { "\($0)" } ?? "" } catch is QueryError {
                // Transient attributes are not part of queries.
                return try object.text(at: path)
            }
        }
    }

    private func receive(_ event: ContextEvent, _ summary: ChangeSummary) {
        guard results != nil, let effect, let observedRequest else { return }
        var seen: Set<ObjectIdentifier> = []
        // They have permanent IDs now.
        if event.kind == .didSave { report(updated: event.inserted) }
        switch effect.effect(of: event, summary, isMember: { [self] in results?.contains($0) == true }) {
        case .none: return
        case .sameObjectsChanged:
            report(updated: [event.updated, event.refreshed].joined().filter { seen.insert(ObjectIdentifier($0)).inserted })
        case .otherAnswer:
            if effect.isDecidedByObject, event.kind == .objectsDidChange, let changes = update(with: event, observedRequest) {
                return notify(changes)
            }
            unreported.formUnion(summary.touched)
            do {
                let now = try fetch(observedRequest)
                let before = results ?? FetchedResults()
                results = now
                let touched = unreported
                unreported = []
                notify(FetchedResultsChanges(from: before, to: now, touched: touched))
            } catch { delegate?.controller(self, didFailWith: error) }
        }
    }

    /// Reports results that stay where they are.
    private func report(updated objects: some Sequence<ManagedObject>) {
        if let results { notify(FetchedResultsChanges(updated: objects, in: results)) }
    }

    /// Moves changed objects to their positions; returns the changes, or `nil` where the results have to be fetched.
    private func update(with event: ContextEvent, _ request: ObjectFetchRequest<Result>) -> FetchedResultsChanges<Result>? {
        // A closure may read other objects than the result.
        guard unreported.isEmpty, sectionName == nil, FetchedResultsUpdate.applies(to: request) else { return nil }
        do {
            let update = try FetchedResultsUpdate(request, context, name(request))
            guard let steps = try update.steps(of: event, in: results), var now = results else { return nil }
            // The only reference, so that the results are changed in place.
            results = nil
            defer { results = now }
            return try update.apply(steps, to: &now)
        } catch { return nil }
    }

    private func notify(_ changes: FetchedResultsChanges<Result>) {
        if changes.isEmpty { return }
        if let delegate {
            delegate.controllerWillChangeContent(self)
            for change in changes.sectionChanges { delegate.controller(self, didChange: change) }
            for change in changes.objectChanges { delegate.controller(self, didChange: change) }
            delegate.controllerDidChangeContent(self)
            delegate.controller(self, didChangeContentWith: changes.snapshot)
            delegate.controller(self, didChangeContentWith: changes)
        }
        onChange?(changes)
        streams.removeAll { if case .terminated = $0.yield(changes.snapshot) { true } else { false } }
    }
}

extension ManagedObject {
    /// Returns the value at the end of a path over to-one relationships, as text; empty where there is none, or behind
    /// a deleted object, as in queries.
    fileprivate final func text(at path: String) throws -> String {
        var object = self
        var keys = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        while keys.count > 1, let first = keys.first, object.entity.relationship(named: String(first))?.isToMany == false {
            guard let next = try object.value(forKey: String(first)) as? ManagedObject, !next.isDeleted else { return "" }
            object = next
            keys = keys.dropFirst()
        }
        // What is left is a property, or an element of a composite attribute.
        let value = try object.value(forKey: keys.joined(separator: "."))
        return (value as? ManagedObject)?.isDeleted == true ? "" : value.map { "\($0)" } ?? ""
    }
}
