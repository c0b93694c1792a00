import StrataModel
import StrataQuery

/// An object stands for its ID in a predicate: `QueryPredicate(format: "company == %@", company)`.
extension ManagedObject: QueryArgument {
    public var queryExpression: QueryExpression { .constant(.objectID(objectID)) }
}
