public import StrataModel
public import StrataQuery

// Properties and aggregates by typed keys and key paths: `.sum(Sale.sold)`, `.max(\Sale.price)`.

extension ExpressionDescription {
    /// Creates the value of a property under its name; of a to-one relationship the destination's ID.
    public init(_ key: some PropertyKey) { self.init(key.path) }

    /// Returns the number of a group's objects that have a value.
    public static func count(_ path: some PropertyKey, as name: String? = nil) -> ExpressionDescription { count(path.path, as: name) }
    /// Returns the number of different values in a group.
    public static func countDistinct(_ path: some PropertyKey, as name: String? = nil) -> ExpressionDescription {
        countDistinct(path.path, as: name)
    }
    /// Returns the sum of a group's values, 0 of none.
    public static func sum<P: QueryPath>(_ path: P, as name: String? = nil) -> ExpressionDescription where P.Term: ArithmeticValue {
        sum(path.path, as: name)
    }
    /// Returns the mean of a group's values, nil of none.
    public static func average<P: QueryPath>(_ path: P, as name: String? = nil) -> ExpressionDescription where P.Term: ArithmeticValue {
        average(path.path, as: name)
    }
    /// Returns the least of a group's values, nil of none.
    public static func min(_ path: some PropertyKey, as name: String? = nil) -> ExpressionDescription { min(path.path, as: name) }
    /// Returns the greatest of a group's values, nil of none.
    public static func max(_ path: some PropertyKey, as name: String? = nil) -> ExpressionDescription { max(path.path, as: name) }
    /// Returns the value in the middle of a group's values, nil of none.
    public static func median<P: QueryPath>(_ path: P, as name: String? = nil) -> ExpressionDescription where P.Term: ArithmeticValue {
        median(path.path, as: name)
    }
    /// Returns the standard deviation of a group's values, nil of none.
    public static func standardDeviation<P: QueryPath>(_ path: P, as name: String? = nil) -> ExpressionDescription
    where P.Term: ArithmeticValue { standardDeviation(path.path, as: name) }

    /// Returns the value at the end of a path, under the path as its name: `grouped(by: [.property(\Sale.line)], …)`.
    public static func property(_ path: some PropertyKey) -> ExpressionDescription { ExpressionDescription(path.path) }
}
