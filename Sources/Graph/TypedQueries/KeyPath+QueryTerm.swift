public import StrataModel
public import StrataQuery

// A key path is the counterpart of its property's typed key. One without a property becomes a path that no entity has, so that the
// fetch throws: an operator cannot.

extension KeyPath: PropertyKey where Root: ManagedObject {
    /// The path of the property; `SELF` for the object or its ID.
    public var path: String { QueryExpression.path(of: self) }
}

extension KeyPath: QueryTerm, QueryPath where Root: ManagedObject, Value: PropertyValue {
    public typealias Term = Value.Stored
    public typealias Condition = ObjectPredicate<Root>
}

extension KeyPath: QueryObject where Root: ManagedObject, Value: ObjectValue {
    public typealias Object = Value.Object
    public typealias Condition = ObjectPredicate<Root>
    /// The expression of the destination.
    public var expression: QueryExpression { .keyPathOrSelf(of: self) }
}

extension KeyPath: QueryCollection where Root: ManagedObject, Value: ObjectCollectionValue {
    public typealias Element = Value.Member
    public typealias Condition = ObjectPredicate<Root>
    /// The expression of the destinations.
    public var expression: QueryExpression { .keyPathOrSelf(of: self) }
}

extension QueryExpression {
    /// Returns the path of a key path's property; where there is none, the reason instead of a name.
    static func path(of keyPath: AnyKeyPath) -> String {
        do {
            let path = try KeyPathProbe.path(of: keyPath)
            return path.isEmpty ? "SELF" : path
        } catch {
            return QueryError.placeholder(because: error.message)
        }
    }

    fileprivate static func keyPathOrSelf(of keyPath: AnyKeyPath) -> QueryExpression {
        let path = path(of: keyPath)
        return path == "SELF" ? .evaluatedObject : .keyPath(path)
    }
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

// A class cannot conform to ObjectValue with itself: its subclasses would inherit that.
extension KeyPath where Root: ManagedObject, Value: ManagedObject {
    /// The destination, or the object itself for `\Person.self`, as a typed object.
    private var object: TypedObject<Value, ObjectPredicate<Root>> { .init(expression: expression) }
    /// The expression of the destination, or of the object itself for `\Person.self`.
    public var expression: QueryExpression { .keyPathOrSelf(of: self) }

    /// Met where it is an object.
    public static func == (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> { lhs.object == rhs }

    /// Met where it is another object.
    public static func != (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> { lhs.object != rhs }

    /// Met where it is among some objects.
    public func isIn(_ objects: some Sequence<Value>) -> ObjectPredicate<Root> { object.isIn(objects) }

    /// Met where it meets a condition.
    public func meets(_ condition: QueryPredicate) -> ObjectPredicate<Root> { object.meets(condition) }

    /// Met where it meets a condition of its class.
    public func meets(_ condition: ObjectPredicate<Value>) -> ObjectPredicate<Root> { object.meets(condition) }
}

extension KeyPath where Root: ManagedObject, Value: CompositePropertyValue {
    /// Met where all elements are equal, or both nil; for `nil` where no element has a value.
    public static func == (lhs: KeyPath, rhs: Value.Composite?) -> ObjectPredicate<Root> {
        ObjectPredicate(Key<Value.Composite>(QueryExpression.path(of: lhs)) == rhs)
    }

    /// Met where any element differs; for `nil` where an element has a value.
    public static func != (lhs: KeyPath, rhs: Value.Composite?) -> ObjectPredicate<Root> {
        ObjectPredicate(Key<Value.Composite>(QueryExpression.path(of: lhs)) != rhs)
    }
}
