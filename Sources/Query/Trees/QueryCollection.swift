public import StrataModel

/// An expression of several objects of one class: a to-many relationship, or a filtered one.
public protocol QueryCollection<Element> {
    /// The class of the objects.
    associatedtype Element: AnyObject
    /// The kind of condition of a comparison, as of ``QueryTerm``.
    associatedtype Condition: QueryCondition = QueryPredicate
    var expression: QueryExpression { get }
}

/// A collection of objects with the class of its elements.
public struct TypedCollection<Element: AnyObject, Condition: QueryCondition>: QueryCollection, Sendable {
    /// The expression of the objects, as conditions hold it.
    public let expression: QueryExpression

    /// Gives an expression a class, unchecked.
    public init(_ expression: QueryExpression, of element: Element.Type = Element.self) { self.expression = expression }
}

extension QueryCollection {
    /// Met where at least one element meets a condition, `Company.employees.any(Employee.age > 30)`; never by none.
    public func any(_ condition: QueryPredicate) -> Condition { filter(condition).count > 0 }
    /// Met where at least one element meets a condition of its class; never by none.
    public func any(_ condition: ObjectPredicate<Element>) -> Condition { any(condition.predicate) }

    /// Met where every element meets a condition; always by none.
    public func all(_ condition: QueryPredicate) -> Condition { filter(!condition).count == 0 }
    /// Met where every element meets a condition of its class; always by none.
    public func all(_ condition: ObjectPredicate<Element>) -> Condition { all(condition.predicate) }

    /// Met where no element meets a condition.
    public func none(_ condition: QueryPredicate) -> Condition { filter(condition).count == 0 }
    /// Met where no element meets a condition of its class.
    public func none(_ condition: ObjectPredicate<Element>) -> Condition { none(condition.predicate) }

    /// Returns the elements that meet a condition.
    public func filter(_ condition: QueryPredicate) -> TypedCollection<Element, Condition> {
        .init(.elements(of: expression, where: condition))
    }
    /// Returns the elements that meet a condition of their class.
    public func filter(_ condition: ObjectPredicate<Element>) -> TypedCollection<Element, Condition> { filter(condition.predicate) }

    /// The number of elements.
    public var count: TypedExpression<Int, Condition> { .init(expression.appending("@count")) }

    /// Met where there is no element.
    public var isEmpty: Condition { count == 0 }
}

// A path without a class names a property of the elements; one with a class has to be of theirs.

extension QueryCollection {
    /// Returns the sum of the elements' values; 0 of none.
    public func sum<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Term: ArithmeticValue, P.Condition == QueryPredicate { aggregate("@sum", path) }
    /// Returns the sum of the elements' values; 0 of none.
    public func sum<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Term: ArithmeticValue, P.Condition == ObjectPredicate<Element> { aggregate("@sum", path) }

    /// Returns the mean of the elements' values; `nil` of none.
    public func average<P: QueryPath>(_ path: P) -> TypedExpression<Double, Condition>
    where P.Term: ArithmeticValue, P.Condition == QueryPredicate { aggregate("@avg", path) }
    /// Returns the mean of the elements' values; `nil` of none.
    public func average<P: QueryPath>(_ path: P) -> TypedExpression<Double, Condition>
    where P.Term: ArithmeticValue, P.Condition == ObjectPredicate<Element> { aggregate("@avg", path) }

    /// Returns the least of the elements' values; `nil` of none.
    public func min<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Condition == QueryPredicate { aggregate("@min", path) }
    /// Returns the least of the elements' values; `nil` of none.
    public func min<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Condition == ObjectPredicate<Element> { aggregate("@min", path) }

    /// Returns the greatest of the elements' values; `nil` of none.
    public func max<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Condition == QueryPredicate { aggregate("@max", path) }
    /// Returns the greatest of the elements' values; `nil` of none.
    public func max<P: QueryPath>(_ path: P) -> TypedExpression<P.Term, Condition>
    where P.Condition == ObjectPredicate<Element> { aggregate("@max", path) }

    private func aggregate<Term>(_ name: String, _ path: some QueryPath) -> TypedExpression<Term, Condition> {
        .init(expression.appending(path.path + "." + name))
    }
}
