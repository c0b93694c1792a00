import StrataModel
public import StrataQuery

/// An object stands for its ID in a predicate: `QueryPredicate(format: "company == %@", company)`.
extension ManagedObject: QueryArgument {
    public var queryExpression: QueryExpression { .constant(queryValue) }

    /// The ID as a constant of a query; one made before the object is first saved means the object afterwards, too.
    final var queryValue: Value {
        if objectID.isTemporary { markLoading(.queried) }
        return .objectID(objectID)
    }
}
