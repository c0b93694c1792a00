public import StrataModel

/// An expression that leads to several objects of one class: a to-many relationship, or those of its destinations that meet a condition.
public protocol QueryCollection<Element> {
    /// The class of the objects.
    associatedtype Element: AnyObject
    /// The expression of the objects, as conditions hold it.
    var expression: QueryExpression { get }
}

/// A collection of objects with the class of its elements.
public struct TypedCollection<Element: AnyObject>: QueryCollection, Sendable {
    /// The expression of the objects, as conditions hold it.
    public let expression: QueryExpression

    /// Gives an expression a class; nothing checks it.
    public init(_ expression: QueryExpression, of element: Element.Type = Element.self) { self.expression = expression }
}

extension QueryCollection {
    /// Met where at least one element meets a condition, `Company.employees.any(Employee.age > 30)`; never by none.
    public func any(_ condition: QueryPredicate) -> QueryPredicate { filter(condition).count > 0 }

    /// Met where every element meets a condition; always by none.
    public func all(_ condition: QueryPredicate) -> QueryPredicate { filter(!condition).count == 0 }

    /// Met where no element meets a condition.
    public func none(_ condition: QueryPredicate) -> QueryPredicate { filter(condition).count == 0 }

    /// The elements that meet a condition.
    public func filter(_ condition: QueryPredicate) -> TypedCollection<Element> { .init(.elements(of: expression, where: condition)) }

    /// The number of elements.
    public var count: TypedExpression<Int> { .init(expression.appending("@count")) }

    /// Met where there is no element.
    public var isEmpty: QueryPredicate { count == 0 }

    /// The sum of the elements' values; 0 of none.
    public func sum<P: QueryPath>(_ path: P) -> TypedExpression<P.Term> where P.Term: ArithmeticValue { aggregate("@sum", path) }

    /// The mean of the elements' values; `nil` of none.
    public func average<P: QueryPath>(_ path: P) -> TypedExpression<Double> where P.Term: ArithmeticValue { aggregate("@avg", path) }

    /// The least of the elements' values; `nil` of none.
    public func min<P: QueryPath>(_ path: P) -> TypedExpression<P.Term> { aggregate("@min", path) }

    /// The greatest of the elements' values; `nil` of none.
    public func max<P: QueryPath>(_ path: P) -> TypedExpression<P.Term> { aggregate("@max", path) }

    private func aggregate<Term>(_ name: String, _ path: some QueryPath) -> TypedExpression<Term> {
        .init(expression.appending(path.path + "." + name))
    }
}
