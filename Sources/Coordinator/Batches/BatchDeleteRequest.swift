public import StrataModel
public import StrataQuery
public import StrataStore

/// Deletes all objects that a fetch would return, or those with some IDs, without making managed objects of them.
///
/// Delete rules are followed to any depth: cascade deletes, nullify clears the inverse. Deny is not checked, as nothing is validated: it
/// clears the inverse as nullify does, and so does no action; references without an inverse are cleared too, and links are removed. No
/// dangling reference is left, but a required one may be without a destination. All objects of all stores are deleted, or none. No context is
/// notified.
public struct BatchDeleteRequest: Sendable {
    /// Which objects to delete.
    enum Target: Sendable {
        case fetch(Fetch)
        case objects([ObjectID])
    }

    /// Says which objects to delete, as a fetch request does.
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
    /// What the result tells.
    public var resultType = BatchResultType.statusOnly
    /// Who asks for it, for events and histories; `nil` for whom the context that executes it names.
    public var origin: TransactionOrigin?
    /// Whether the contexts that have any of the objects merge what the request changes, each where its work is done; in the one that
    /// executes the request it is merged right away.
    ///
    /// True by default; where it is false only contexts merge that do so automatically, and the others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores whose objects are deleted, `nil` for all; not for a request by IDs.
    public var affectedStores: [any PersistentStore]?
    /// Whether no store is asked to do the work by itself: for tests, and to compare.
    package var isCarriedOutInCore = false

    /// Creates a request for the objects that meet a condition; of these, those that order, offset and limit leave.
    public init(
        entityName: String, _ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0,
        includesSubentities: Bool = true
    ) {
        target = .fetch(
            Fetch(
                entityName: entityName, predicate: predicate, sort: sort, limit: limit, offset: offset,
                includesSubentities: includesSubentities))
    }

    /// Creates a request for the objects of the one entity that names a class.
    package init(
        objectClass: AnyClass, _ predicate: QueryPredicate?, sort: [QuerySort], limit: Int?, offset: Int, includesSubentities: Bool
    ) {
        target = .fetch(
            Fetch(
                objectClass: objectClass, predicate: predicate, sort: sort, limit: limit, offset: offset,
                includesSubentities: includesSubentities))
    }

    /// Returns the request with its condition, where it has one, replaced.
    package func replacingPredicate(_ replace: (QueryPredicate) throws -> QueryPredicate) rethrows -> BatchDeleteRequest {
        guard case .fetch(var fetch) = target, let predicate = fetch.predicate else { return self }
        fetch.predicate = try replace(predicate)
        var request = self
        request.target = .fetch(fetch)
        return request
    }

    /// Creates a request for objects by ID, which must all be of one entity; those that do not exist are passed over.
    public init(objectIDs: [ObjectID]) { target = .objects(objectIDs) }
}
