public import StrataText

/// A comparison of two expressions.
public struct QueryComparison: Sendable, Hashable {
    /// The elements of a left side with several values that the comparison is about.
    public enum Modifier: String, Sendable, Hashable, CaseIterable {
        /// The left side as it is.
        case direct = ""
        /// At least one element of the left side; never met without elements. `SOME` is a synonym, `NONE` its negation.
        case any = "ANY"
        /// Every element of the left side; always met without elements.
        case all = "ALL"
    }

    /// The operator of a comparison.
    public enum Operator: String, Sendable, Hashable, CaseIterable {
        /// Both are equal; also met by two nils.
        case equal = "=="
        /// The negation of ``equal``: also met by nil and something else.
        case notEqual = "!="
        /// The left value is less; never met by nil.
        case less = "<"
        /// The left value is less, or both are equal.
        case lessOrEqual = "<="
        /// The left value is greater; never met by nil.
        case greater = ">"
        /// The left value is greater, or both are equal.
        case greaterOrEqual = ">="
        /// The left value is among the right ones, or within the right text.
        case isIn = "IN"
        /// The left value is between the two right ones, or one of them.
        case between = "BETWEEN"
        /// The left text contains the right one, or the left collection the right value.
        case contains = "CONTAINS"
        /// The left text begins with the right one.
        case beginsWith = "BEGINSWITH"
        /// The left text ends with the right one.
        case endsWith = "ENDSWITH"
        /// The left text matches the pattern on the right, where `?` is any character and `*` any number of them.
        case like = "LIKE"
        /// The right regular expression matches the left text from end to end.
        case matches = "MATCHES"
    }

    /// The preparation of text before it is compared.
    public typealias Options = TextOptions

    /// The left side; its elements, under ANY and ALL.
    public var left: QueryExpression
    /// How the sides are compared.
    public var `operator`: Operator
    /// The right side.
    public var right: QueryExpression
    /// The preparation of text.
    public var options: Options
    /// Which elements of the left side count.
    public var modifier: Modifier

    /// Creates a comparison of two expressions, of single values by default.
    @inlinable
    public init(_ left: QueryExpression, _ op: Operator, _ right: QueryExpression, _ options: Options = [], modifier: Modifier = .direct) {
        self.left = left
        self.operator = op
        self.right = right
        self.options = options
        self.modifier = modifier
    }
}
