import StrataEvaluation
import StrataText

/// Moves the changed objects of an event to their positions in results, instead of fetching these again.
///
/// Only where condition, order and section name of a result depend on nothing but the object itself: then the others
/// stay in their order.
struct FetchedResultsUpdate<Result: ManagedObject> {
    /// The greatest number of changed objects, beside a part of the results: for more, fetching again is cheaper.
    private static var mostChanges: Int { 16 }
    private static var partOfResults: Int { 16 }

    private let context: ManagedObjectContext
    private let order: RowOrder
    private let condition: RowPredicate?
    private let entities: Range<EntityIndex>
    private let resolvers: PendingOverlay.Resolvers
    private let sectionName: ((Result) throws -> String)?

    /// - Parameter sectionName: The section name of an object; `nil` where all are in one section.
    init(_ request: ObjectFetchRequest<Result>, _ context: ManagedObjectContext, _ sectionName: ((Result) throws -> String)?) throws {
        self.context = context
        self.sectionName = sectionName
        let entity = try context.entity(of: request.untyped)
        let preparation = context.preparation(of: request.untyped)
        condition = try request.predicate.map { RowPredicate(try preparation.prepare($0).resolved(for: entity, in: context.model)) }
        order = RowOrder(try request.sort.map { try ResolvedSort($0, of: entity, in: context.model) })
        entities = entity.entities(includingSubentities: request.includesSubentities)
        resolvers = PendingOverlay.Resolvers(context)
    }

    /// Returns whether the results of a request can be updated, if their objects decide on them alone.
    static func applies(to request: ObjectFetchRequest<Result>) -> Bool {
        if request.sort.isEmpty || request.untyped.hasComputedOrder || request.shouldRefreshRefetchedObjects { return false }
        if !request.relationshipKeyPathsForPrefetching.isEmpty || !request.returnsObjectsAsFaults { return false }
        // What a function returns may depend on the time.
        var hasFunction = false
        _ = try? request.predicate?.replacingExpressions { expression in
            if case .function = expression { hasFunction = true }
            return nil
        }
        return !hasFunction
    }

    /// The changed objects that are results or become such.
    struct Steps {
        /// The results that leave or move, by ascending index.
        fileprivate(set) var leaving: [(object: Result, index: Int)] = []
        /// The objects that come or move, in their order.
        fileprivate var coming: [(object: Result, element: PendingOverlay.Element, section: String?)] = []
    }

    /// Returns what an event does to results; `nil` where they have to be fetched.
    ///
    /// - Throws: What the condition or the section name throws.
    func steps(of event: ContextEvent, in results: FetchedResults<Result>?) throws -> Steps? {
        guard let results else { return nil }
        let touched = Set([event.updated, event.refreshed].joined().map { ObjectIdentifier($0) })
        var seen: Set<ObjectIdentifier> = []
        let objects = [event.inserted, event.updated, event.refreshed, event.deleted].joined().filter {
            entities.contains($0.entity.index) && seen.insert(ObjectIdentifier($0)).inserted
        }
        if objects.count > max(Self.mostChanges, results.count / Self.partOfResults) { return nil }
        var steps = Steps()
        for object in objects {
            guard let object = object as? Result else { return nil }
            let index = results.index(of: object)
            // One that came back, in whatever way, is compared with the results as a whole.
            if index != nil && !touched.contains(ObjectIdentifier(object)) && !object.isDeleted { return nil }
            if let index { steps.leaving.append((object, index)) }
            guard object.managedObjectContext === context, !object.isDeleted, !object.isInaccessible else { continue }
            guard let element = try element(of: object) else { return nil }
            guard try condition?.passes(element.row, element.resolver) ?? true else { continue }
            steps.coming.append((object, element, try sectionName?(object)))
        }
        steps.leaving.sort { $0.index < $1.index }
        steps.coming = try order.sorted(steps.coming) { ($0.element.row, $0.element.resolver) }
        return steps
    }

    /// Applies steps to results; returns the changes, or `nil`, with nothing changed, where these have to be fetched.
    ///
    /// - Throws: What the comparison of rows throws, with nothing changed.
    func apply(_ steps: Steps, to results: inout FetchedResults<Result>) throws -> FetchedResultsChanges<Result>? {
        let ranges = results.ranges
        let leaving = steps.leaving.map { (object: $0.object, index: $0.index, path: results.path(ofIndex: $0.index)) }
        var coming: [Result] = []
        do {
            for (object, _) in steps.leaving { results.remove(object) }
            for (object, element, section) in steps.coming {
                guard let index = try index(of: element, in: results), results.insert(object, at: index, section: section) else {
                    results.takeBack(coming, steps.leaving, ranges)
                    return nil
                }
                coming.append(object)
            }
        } catch {
            results.takeBack(coming, steps.leaving, ranges)
            throw error
        }
        if sectionName != nil { results.removeEmptySections() }
        return FetchedResultsChanges(leaving: leaving, of: ranges, coming: coming, to: results)
    }

    /// Returns the current row of an object; `nil` where it has none here.
    private func element(of object: Result) throws -> PendingOverlay.Element? {
        let resolver = try resolvers.resolver(of: object)
        if object.changesRow {
            return PendingOverlay.Element(row: try resolver.row(of: object), resolver: resolver, source: .pending(object))
        }
        return object.row.map { PendingOverlay.Element(row: $0, resolver: resolver, source: .pending(object)) }
    }

    /// Returns the index of an element among results; `nil` where that is undecided.
    private func index(of element: PendingOverlay.Element, in results: FetchedResults<Result>) throws -> Int? {
        var (low, high) = (0, results.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = try self.element(of: results[middle]) else { return nil }
            switch try order.compare(other.row, with: other.resolver, to: element.row, with: element.resolver) {
            case .less: low = middle + 1
            case .greater: high = middle
            default: return nil
            }
        }
        return low
    }
}
