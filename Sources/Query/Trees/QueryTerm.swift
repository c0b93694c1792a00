public import StrataModel

/// An expression whose values' Swift type is known: a ``Key``, a key path of a managed object, or what operators make
/// of them.
///
/// Operators and functions of terms build predicates, `Order.price * Order.quantity > 100`; the compiler rejects
/// constants of another type.
public protocol QueryTerm<Term> {
    /// The type of the values, without an optional.
    associatedtype Term: ValueConvertible
    /// The condition of a comparison: on objects of one class where the term has a class, else a ``QueryPredicate``.
    associatedtype Condition: QueryCondition = QueryPredicate
    var expression: QueryExpression { get }
}

/// The name of a property, or of one at the end of a path: a ``Key``, the key of a relationship, or a key path of a
/// managed object.
public protocol PropertyKey {
    /// The path from the object.
    var path: String { get }
}

/// The name of a property that is given as text: a ``Key``, or the key of a relationship.
public protocol NamedKey: PropertyKey {
    /// Creates the key of a name, or of a path.
    init(_ path: String)
}

/// A term that is a property, or one at the end of a path.
public protocol QueryPath<Term>: QueryTerm, PropertyKey {}

extension QueryPath {
    /// The expression of the property's value.
    @inlinable public var expression: QueryExpression { path == "SELF" ? .evaluatedObject : .keyPath(path) }

    /// An ascending sort key.
    public var ascending: Condition.Sort { Condition.Sort(QuerySort(path)) }

    /// A descending sort key.
    public var descending: Condition.Sort { Condition.Sort(QuerySort(path, ascending: false)) }
}

extension Key: NamedKey {}

extension Key: QueryTerm, QueryPath where Value: ValueConvertible {
    public typealias Term = Value
}

/// An untyped expression, which is compared with any `Value`.
extension QueryExpression: QueryTerm {
    public typealias Term = Value
    /// The expression itself.
    public var expression: QueryExpression { self }
}

/// An expression with the Swift type of its values, and the kind of its conditions.
public struct TypedExpression<Term: ValueConvertible, Condition: QueryCondition>: QueryTerm, Sendable, Hashable {
    /// The expression without its type, as conditions hold it.
    public let expression: QueryExpression

    /// Gives an expression a type, unchecked.
    public init(_ expression: QueryExpression, as type: Term.Type = Term.self) { self.expression = expression }
}

/// A path with the Swift type of its values, and the kind of its conditions.
public struct TypedPath<Term: ValueConvertible, Condition: QueryCondition>: QueryPath, Sendable, Hashable {
    /// The path from the object.
    public let path: String

    /// Gives a path a type, unchecked.
    public init(_ path: String) { self.path = path }
}

extension TypedExpression {
    /// An ascending sort key: `Company.people.count.ascending`.
    ///
    /// For numbers of members, and other values of a path; a fetch rejects other expressions.
    public var ascending: Condition.Sort { Condition.Sort(QuerySort(sortPath)) }

    /// A descending sort key, as ``ascending``.
    public var descending: Condition.Sort { Condition.Sort(QuerySort(sortPath, ascending: false)) }

    private var sortPath: String { if case .keyPath(let path) = expression { path } else { expression.description } }
}
