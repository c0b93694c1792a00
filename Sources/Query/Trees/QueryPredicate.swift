/// A condition on objects: a tree of comparisons.
///
/// Build one from typed keys, `Person.age > 30 && Person.name.beginsWith("A")`, or from names, `key("age") > 30`. Logic
/// is two-valued: `nil` equals `nil`, differs from everything else, and neither precedes nor follows anything. A tree
/// is a value without a reference to a model; a fetch checks it against an entity.
///
/// A program may build trees of any height. Fetches, encoders and decoders reject those above ``greatestDepth``;
/// comparing, hashing, printing and substituting use a bounded part of the stack. Releasing does not: Swift releases
/// the parts of a value recursively, with up to 300 bytes of stack for each level, so that a tree of more than some
/// 25,000 levels needs a stack above 8 MB.
public indirect enum QueryPredicate: Sendable, Hashable {
    case constant(Bool)
    /// Met where all parts are; by everything when there are none.
    case and([QueryPredicate])
    /// Met where any part is; by nothing when there are none.
    case or([QueryPredicate])
    /// Met where the part is not.
    case not(QueryPredicate)
    /// A comparison of two expressions.
    case comparison(QueryComparison)

    /// Met where both are.
    public static func && (lhs: QueryPredicate, rhs: QueryPredicate) -> QueryPredicate { .and(lhs.conjuncts + rhs.conjuncts) }

    /// Met where either is.
    public static func || (lhs: QueryPredicate, rhs: QueryPredicate) -> QueryPredicate { .or(lhs.disjuncts + rhs.disjuncts) }

    /// Met where the predicate is not.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }

    private var conjuncts: [QueryPredicate] { if case .and(let parts) = self { parts } else { [self] } }

    private var disjuncts: [QueryPredicate] { if case .or(let parts) = self { parts } else { [self] } }
}
