import StrataModel
public import StrataQuery

/// An object represents its ID in a predicate: `QueryPredicate(format: "company == %@", company)`.
extension ManagedObject: QueryArgument {
    public var queryExpression: QueryExpression { .constant(queryValue) }

    /// The ID as a constant of a query, which stays valid when the object is first saved.
    final var queryValue: Value {
        if objectID.isTemporary { markLoading(.queried) }
        return .objectID(objectID)
    }
}
