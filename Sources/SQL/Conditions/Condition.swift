/// A condition in SQL for a predicate.
public struct Condition<Dialect: SQLDialect>: Sendable {
    /// The condition: true for each row that meets the predicate.
    public let sql: SQLText<Dialect>
    /// Whether the condition is true for no other row; for one that does not meet the predicate it is then false or null.
    public let isExact: Bool
    private let opposite: Opposite?

    /// The condition of the negated predicate, where SQL has a better one than the negation of this one.
    private enum Opposite: Sendable {
        case text(SQLText<Dialect>)
        /// The negations of several conditions, joined.
        case negations([Condition], StaticString)
    }

    /// A condition, exact by default.
    ///
    /// - Parameters:
    ///   - sql: The condition.
    ///   - isExact: Whether it is true for no row that does not meet the predicate.
    ///   - opposite: The condition of the negated predicate, where SQL has a simpler one than the negation of this one: `IS NOT NULL` for
    ///     `IS NULL`.
    public init(_ sql: SQLText<Dialect>, isExact: Bool = true, opposite: SQLText<Dialect>? = nil) {
        self.sql = sql
        self.isExact = isExact
        self.opposite = opposite.map { .text($0) }
    }

    /// Conditions joined by ` AND ` or ` OR `; their negations are joined by the other word, so that an index serves each.
    ///
    /// - Parameter isExact: Whether the conditions are all parts of the predicate.
    init(_ parts: [Condition], isAnd: Bool, isExact: Bool = true) {
        sql = Condition.join(parts.map(\.sql)[...], isAnd ? " AND " : " OR ")
        self.isExact = isExact && parts.allSatisfy(\.isExact)
        opposite = .negations(parts, isAnd ? " OR " : " AND ")
    }

    /// The condition of the negated predicate, `nil` where this one is not exact: its opposite, or `((…) IS NOT TRUE)`.
    public var negated: Condition? {
        guard isExact else { return nil }
        switch opposite {
        case .text(let opposite)?: return Condition(opposite, opposite: sql)
        case .negations(let parts, let word)?:
            return Condition(Condition.join(parts.compactMap { $0.negated?.sql }[...], word), opposite: sql)
        case nil:
            return Condition(SQLText<Dialect>("((\(sql)) IS NOT TRUE)"), opposite: sql)
        }
    }

    /// Conditions joined by ` AND ` or ` OR ` in parentheses, as a balanced tree where the dialect limits the length of a chain.
    static func join(_ parts: ArraySlice<SQLText<Dialect>>, _ word: StaticString) -> SQLText<Dialect> {
        if parts.count == 1, let only = parts.first { return only }
        var sql = SQLText<Dialect>("(")
        if parts.count <= Dialect.longestChain {
            sql.add(parts, separator: word) { $0.add($1) }
        } else {
            let middle = (parts.startIndex + parts.endIndex) / 2
            sql.add("\(join(parts[..<middle], word))\(word)\(join(parts[middle...], word))")
        }
        sql.add(")")
        return sql
    }
}

extension QueryComparison.Operator {
    /// The operator by which SQL compares the order of two values: ` < `; `nil` for all others.
    public var sqlOrder: StaticString? {
        switch self {
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        default: nil
        }
    }
}
