import StrataModel
import StrataQuery

// A key path names the property that its typed key is of. One that leads nowhere becomes a path that no entity has, so that the fetch
// throws: an operator cannot.

extension KeyPath: QueryTerm, QueryPath where Root: ManagedObject, Value: PropertyValue {
    public typealias Term = Value.Stored
    /// The path of the property.
    public var path: String { QueryExpression.path(of: self) }
}

extension KeyPath: QueryObject where Root: ManagedObject, Value: ObjectValue {
    public typealias Object = Value.Object
    /// The expression of the destination.
    public var expression: QueryExpression { .path(named: QueryExpression.path(of: self)) }
}

extension KeyPath: QueryCollection where Root: ManagedObject, Value: ObjectCollectionValue {
    public typealias Element = Value.Member
    /// The expression of the destinations.
    public var expression: QueryExpression { .path(named: QueryExpression.path(of: self)) }
}

extension QueryExpression {
    /// The path of the property that a key path leads to; the reason why it leads to none, in the place of a name, where it does not.
    fileprivate static func path(of keyPath: AnyKeyPath) -> String {
        do { return try KeyPathProbe.path(of: keyPath) } catch { return "«\(error.message.replacing(".", with: "·"))»" }
    }

    /// The object for an empty path.
    static func path(named path: String) -> QueryExpression { path.isEmpty ? .evaluatedObject : .keyPath(path) }
}

extension ToOne: QueryObject {
    public typealias Object = Destination
    /// The expression of the destination.
    public var expression: QueryExpression { .keyPath(path) }
}

extension ToMany: QueryCollection {
    public typealias Element = Destination
    /// The expression of the destinations.
    public var expression: QueryExpression { .keyPath(path) }
}

extension ToManyOrdered: QueryCollection {
    public typealias Element = Destination
    /// The expression of the destinations.
    public var expression: QueryExpression { .keyPath(path) }
}
