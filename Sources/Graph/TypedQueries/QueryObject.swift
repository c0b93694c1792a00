public import StrataModel
public import StrataQuery

/// An expression for one object: a ``ToOne`` key or a key path to a relationship.
public protocol QueryObject<Object> {
    /// The class of the object.
    associatedtype Object: ManagedObject
    /// The condition of a comparison: on objects of one class where the expression starts at one.
    associatedtype Condition: QueryCondition = QueryPredicate
    var expression: QueryExpression { get }
}

/// An expression of one object, with its class and the kind of conditions on it.
struct TypedObject<Object: ManagedObject, Condition: QueryCondition>: QueryObject {
    let expression: QueryExpression
}

extension QueryObject {
    /// Met where it is an object, or where there is none for `nil`.
    public static func == (lhs: Self, rhs: Object?) -> Condition { Condition(lhs.expression == (rhs.map(\.queryValue) ?? .null)) }

    /// Met where it is another object, or none.
    public static func != (lhs: Self, rhs: Object?) -> Condition { Condition(lhs.expression != (rhs.map(\.queryValue) ?? .null)) }

    /// Met where both are the same object, or both are nil.
    public static func == <Other: QueryObject>(lhs: Self, rhs: Other) -> Condition where Other.Condition == Condition {
        Condition(lhs.expression == rhs.expression)
    }

    /// Met where both are not the same object.
    public static func != <Other: QueryObject>(lhs: Self, rhs: Other) -> Condition where Other.Condition == Condition {
        Condition(lhs.expression != rhs.expression)
    }

    /// Met where it is among some objects.
    public func isIn(_ objects: some Sequence<Object>) -> Condition { Condition(expression.isIn(objects.map(\.queryValue))) }

    /// Met where it is among the objects with some IDs.
    public func isIn(_ ids: some Sequence<ObjectID>) -> Condition { Condition(expression.isIn(ids.map { .objectID($0) })) }

    /// Met where it meets a condition: `Person.company.meets(Company.name == "ACME")`.
    public func meets(_ condition: QueryPredicate) -> Condition { Condition(condition.rebased(onto: expression)) }

    /// Met where it meets a condition of its class.
    public func meets(_ condition: ObjectPredicate<Object>) -> Condition { meets(condition.predicate) }
}

extension QueryCollection where Element: ManagedObject {
    /// Met where an object is among the elements.
    public func contains(_ object: Element) -> Condition { contains(object.queryValue) }

    /// Met where the object with an ID is among the elements.
    public func contains(_ id: ObjectID) -> Condition { contains(.objectID(id)) }

    private func contains(_ value: StrataModel.Value) -> Condition {
        Condition(.comparison(.init(expression, .contains, .constant(value))))
    }
}

/// The type of a to-one relationship's typed property: a managed object, or an optional of one.
public protocol ObjectValue {
    associatedtype Object: ManagedObject
}

extension Optional: ObjectValue where Wrapped: ManagedObject {
    public typealias Object = Wrapped
}

/// The type of a to-many relationship's typed property: a set or an array of managed objects.
public protocol ObjectCollectionValue {
    associatedtype Member: ManagedObject
}

extension Set: ObjectCollectionValue where Element: ManagedObject {
    public typealias Member = Element
}

extension Array: ObjectCollectionValue where Element: ManagedObject {
    public typealias Member = Element
}
