import StrataModel
import StrataQuery

/// The possible effect of an event on the answer of a query.
enum QueryEffect {
    case none
    /// The answer has the same objects, some of which were changed.
    case sameObjectsChanged
    /// Another answer, some of whose objects may have been changed.
    case otherAnswer
}

/// The effects of events on a query for objects.
struct ObjectsEffect {
    /// The changes to test: any property of an object in the answer counts.
    let observed: QueryInterest
    /// The properties that membership and order depend on.
    private let interest: QueryInterest
    /// The condition, where it reads one object alone.
    private let condition: QueryPredicate?
    let isDecidedByObject: Bool
    private let countsPendingChanges: Bool
    /// The greatest number of changed objects to test; for more, fetching again is cheaper.
    private static let mostCandidates = 16

    init(_ request: ObjectFetchRequest<ManagedObject>, _ interest: QueryInterest) {
        self.interest = interest
        var observed = interest
        observed.readsAll = true
        self.observed = observed
        condition = request.predicate
        countsPendingChanges = request.includesPendingChanges
        isDecidedByObject =
            interest.isLocal && request.limit == nil && request.offset == 0 && request.affectedStores == nil
            && request.includesPendingChanges
    }

    /// - Parameter isMember: Returns whether an object is in the last answer.
    func effect(of event: ContextEvent, _ summary: ChangeSummary, isMember: (ObjectIdentifier) -> Bool) -> QueryEffect {
        if event.kind == .didSave && countsPendingChanges { return .none }
        let same: QueryEffect = summary.touches(isMember) ? .sameObjectsChanged : .none
        guard interest.isAffected(by: summary), countsPendingChanges || event.kind != .objectsDidChange else { return same }
        guard isDecidedByObject, event.kind == .objectsDidChange else { return .otherAnswer }
        if event.deleted.contains(where: { isMember(ObjectIdentifier($0)) }) { return .otherAnswer }
        let candidates = [event.inserted, event.updated, event.refreshed].joined()
        if candidates.count > ObjectsEffect.mostCandidates { return .otherAnswer }
        let decides = candidates.contains { object in
            guard interest.entities.contains(object.entityIndex), object.managedObjectContext != nil else { return false }
            // Where the condition fails, the object counts.
            return isMember(ObjectIdentifier(object)) || condition.map { (try? $0.evaluate(with: object)) ?? true } ?? true
        }
        return decides ? .otherAnswer : same
    }
}

extension ManagedObjectContext {
    /// Returns the effects of events on the objects of a request.
    ///
    /// - Parameter more: Adds dependencies beside the request's condition and order.
    /// - Throws: `StoreError` with `unknownEntity`.
    func effect(
        onObjectsOf request: ObjectFetchRequest<ManagedObject>, more: (inout QueryInterest, EntityDescription) -> Void = { _, _ in }
    ) throws -> ObjectsEffect {
        var interest = try interest(of: request)
        more(&interest, try entity(of: request))
        return ObjectsEffect(request, interest)
    }
}
