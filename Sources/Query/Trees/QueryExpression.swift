public import StrataModel

/// An expression that a predicate compares and a fetch computes: a tree over constants and key paths.
public indirect enum QueryExpression: Sendable, Hashable {
    /// A value, or a list of them.
    case constant(Value)
    /// The fetched object itself, `SELF`, also within a subquery.
    case evaluatedObject
    /// A variable, `$name`: the element of a subquery, or a substituted value.
    case variable(String)
    /// The value at the end of a path from the object: `name`, `company.address.city`, `items.price.@sum`.
    case keyPath(String)
    /// The value at the end of a path from another expression's value: `$x.name`, `SUBQUERY(…).@count`.
    case path(QueryExpression, String)
    /// Several values, not all of them constants: `{low, high + 1}`.
    case list([QueryExpression])
    /// A function of other expressions; operators of arithmetic are functions, see ``chain(_:_:_:)``.
    case function(QueryFunction, [QueryExpression])
    /// A function that the program registered: the target, its selector, its arguments.
    case custom(QueryExpression, String, [QueryExpression])
    /// One of two expressions, `TERNARY(condition, a, b)`.
    case conditional(QueryPredicate, QueryExpression, QueryExpression)
    /// The elements of a collection that meet a condition on the variable, `SUBQUERY(collection, $x, condition)`.
    case subquery(QueryExpression, variable: String, QueryPredicate)
    /// The union, intersection or difference of two collections.
    case combined(SetOperation, QueryExpression, QueryExpression)
    /// One element of a collection, or their number: `tags[FIRST]`, `tags[2]`, `tags[SIZE]`.
    case element(QueryExpression, Position)
    /// A value under a name for what follows, `$x := expression`.
    case assignment(String, QueryExpression)
    /// The values of all attributes, `ANYKEY`.
    case anyKey
    /// The objects of another fetch, or their number.
    case fetch(QueryFetch)

    /// The operation on two collections.
    public enum SetOperation: String, Sendable, Hashable, CaseIterable {
        /// The elements of either.
        case union = "UNION"
        /// The elements of both.
        case intersect = "INTERSECT"
        /// The elements of the first that are not in the second.
        case minus = "MINUS"
    }

    /// A position in a collection.
    public indirect enum Position: Sendable, Hashable {
        /// The first element, `[FIRST]`; nil where there is none.
        case first
        /// The last element, `[LAST]`; nil where there is none.
        case last
        /// The number of elements.
        case size
        /// The element with an index, from 0; nil where there is none.
        case at(QueryExpression)
    }
}

/// A fetch whose result a predicate uses: `FETCH("Entity", "condition", countOnly)`.
///
/// It is run before the fetch that contains it, once.
public struct QueryFetch: Sendable, Hashable {
    /// The name of the entity.
    public var entityName: String
    /// The condition, `nil` for all objects.
    public var predicate: QueryPredicate?
    /// Whether the number of objects is the result rather than their IDs.
    public var countOnly: Bool

    /// Creates a fetch within a predicate.
    public init(_ entityName: String, _ predicate: QueryPredicate? = nil, countOnly: Bool = false) {
        self.entityName = entityName
        self.predicate = predicate
        self.countOnly = countOnly
    }
}
