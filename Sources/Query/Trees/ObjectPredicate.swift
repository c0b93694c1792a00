/// A condition on objects of one class, as key paths make it: a fetch of another class's objects does not take it.
///
/// ```swift
/// let calm: ObjectPredicate<Author> = \Author.mood == .calm && (\Author.name).beginsWith("M")
/// ```
public struct ObjectPredicate<Object: AnyObject>: QueryCondition {
    public typealias Sort = ObjectSort<Object>
    /// The condition without its class.
    public let predicate: QueryPredicate

    /// Creates an unchecked condition on objects of the class.
    @inlinable public init(_ predicate: QueryPredicate) { self.predicate = predicate }

    /// Met where both are.
    public static func && (lhs: ObjectPredicate, rhs: ObjectPredicate) -> ObjectPredicate { .init(lhs.predicate && rhs.predicate) }
    /// Met where both are; a predicate without a class names properties of this one.
    public static func && (lhs: ObjectPredicate, rhs: QueryPredicate) -> ObjectPredicate { .init(lhs.predicate && rhs) }
    /// Met where both are; a predicate without a class names properties of this one.
    public static func && (lhs: QueryPredicate, rhs: ObjectPredicate) -> ObjectPredicate { .init(lhs && rhs.predicate) }

    /// Met where either is.
    public static func || (lhs: ObjectPredicate, rhs: ObjectPredicate) -> ObjectPredicate { .init(lhs.predicate || rhs.predicate) }
    /// Met where either is; a predicate without a class names properties of this one.
    public static func || (lhs: ObjectPredicate, rhs: QueryPredicate) -> ObjectPredicate { .init(lhs.predicate || rhs) }
    /// Met where either is; a predicate without a class names properties of this one.
    public static func || (lhs: QueryPredicate, rhs: ObjectPredicate) -> ObjectPredicate { .init(lhs || rhs.predicate) }

    /// Met where the condition is not.
    public static prefix func ! (condition: ObjectPredicate) -> ObjectPredicate { .init(!condition.predicate) }
}

/// A sort key of objects of one class, as key paths make it: `(\Author.name).ascending`.
public struct ObjectSort<Object: AnyObject>: QuerySortKey {
    /// The sort key without its class.
    public let sort: QuerySort

    /// Creates an unchecked sort key of objects of the class.
    public init(_ sort: QuerySort) { self.sort = sort }

    /// Creates a sort key: `ObjectSort(\Author.name, .localizedStandardCompare)`.
    public init<P: QueryPath>(_ path: P, ascending: Bool = true, _ options: QueryComparison.Options = [])
    where P.Condition == ObjectPredicate<Object> {
        sort = QuerySort(path.path, ascending: ascending, options)
    }
}

extension ObjectPredicate: CustomStringConvertible {
    /// The condition in the format language.
    public var description: String { predicate.description }
}
