public import StrataStore

/// Deletes all objects that a fetch would return, or those with some IDs, without making managed objects of them.
///
/// Delete rules are applied to any depth: cascade deletes, nullify clears the inverse. Deny is not checked, as nothing
/// is validated: it clears the inverse as nullify does, and so does no action; references without an inverse are
/// cleared too, and links are removed. No dangling reference is left, but a required one may be without a destination.
/// All objects of all stores are deleted, or none. No context is notified.
public struct BatchDeleteRequest: Sendable {
    enum Target: Sendable {
        case fetch(Fetch)
        case objects([ObjectID])
    }

    struct Fetch: Sendable {
        var entityName: String?
        /// The class of the entity's objects, where there is no name.
        var objectClass: AnyClass?
        var predicate: QueryPredicate?
        var sort: [QuerySort]
        var limit: Int?
        var offset: Int
        var includesSubentities: Bool
    }

    private(set) var target: Target
    /// The kind of the result.
    public var resultType = BatchResultType.statusOnly
    /// The origin of the changes, for events and histories; `nil` for that of the context that executes the request.
    public var origin: TransactionOrigin?
    /// Whether the contexts with any of the objects merge the changes, each on its executor; the executing one at once.
    ///
    /// True by default; otherwise only contexts merge that do so automatically, and others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores whose objects are deleted, `nil` for all; not for a request by IDs.
    public var affectedStores: [any PersistentStore]?
    /// Whether the core does all work instead of the store, for tests and comparisons.
    package var isCarriedOutInCore = false

    /// Creates a request for the objects that meet a condition, within order, offset and limit.
    public init(
        entityName: String, _ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0,
        includesSubentities: Bool = true
    ) {
        target = .fetch(
            Fetch(
                entityName: entityName, predicate: predicate, sort: sort, limit: limit, offset: offset,
                includesSubentities: includesSubentities))
    }

    /// Returns the request for objects of the entity with a class, whatever its name.
    package func replacingEntity(by objectClass: AnyClass) -> BatchDeleteRequest {
        guard case .fetch(var fetch) = target else { return self }
        (fetch.entityName, fetch.objectClass) = (nil, objectClass)
        var request = self
        request.target = .fetch(fetch)
        return request
    }

    /// Returns the request with its condition, where it has one, replaced.
    package func replacingPredicate(_ replace: (QueryPredicate) throws -> QueryPredicate) rethrows -> BatchDeleteRequest {
        guard case .fetch(var fetch) = target, let predicate = fetch.predicate else { return self }
        fetch.predicate = try replace(predicate)
        var request = self
        request.target = .fetch(fetch)
        return request
    }

    /// Creates a request for objects of one entity by ID; those that do not exist are ignored.
    public init(objectIDs: [ObjectID]) { target = .objects(objectIDs) }
}
