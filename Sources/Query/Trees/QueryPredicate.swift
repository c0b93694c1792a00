import StrataModel

/// A condition that objects meet or do not: a tree of comparisons.
///
/// Build one from typed keys, `Person.age > 30 && Person.name.beginsWith("A")`, or from names, `key("age") > 30`. Logic is two-valued:
/// `nil` equals `nil`, differs from everything else, and neither precedes nor follows anything. A tree is a value and holds no reference
/// to a model; it is checked against an entity when a fetch resolves it.
public indirect enum QueryPredicate: Sendable, Hashable {
    /// Met by everything, or by nothing.
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

    private var conjuncts: [QueryPredicate] {
        if case .and(let parts) = self { parts } else { [self] }
    }

    private var disjuncts: [QueryPredicate] {
        if case .or(let parts) = self { parts } else { [self] }
    }
}

/// A comparison of two expressions.
public struct QueryComparison: Sendable, Hashable {
    /// How two values are compared.
    public enum Operator: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        /// The left value is among the right ones.
        case isIn = "IN"
        /// The left value is between the two right ones, or one of them.
        case between = "BETWEEN"
        /// The left text contains the right one.
        case contains = "CONTAINS"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        /// The left text has the shape of the right one, where `?` stands for one character and `*` for any number of them.
        case like = "LIKE"
        /// The right regular expression matches the left text from end to end.
        case matches = "MATCHES"
    }

    /// How text is prepared before it is compared.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Without regard to case, `[c]`.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Without regard to diacritics, `[d]`.
        public static let diacriticInsensitive = Options(rawValue: 2)
    }

    /// The left side.
    public var left: QueryExpression
    /// How the sides are compared.
    public var `operator`: Operator
    /// The right side.
    public var right: QueryExpression
    /// How text is prepared.
    public var options: Options

    /// A comparison.
    public init(_ left: QueryExpression, _ op: Operator, _ right: QueryExpression, _ options: Options = []) {
        self.left = left
        self.operator = op
        self.right = right
        self.options = options
    }
}

/// A side of a comparison.
public indirect enum QueryExpression: Sendable, Hashable {
    /// A value, or a list of them.
    case constant(Value)
    /// The value of a property, reached through to-one relationships: `name`, `company.address.city`.
    case keyPath(String)
    /// The object itself.
    case evaluatedObject
}
