public import StrataModel

extension QueryTerm {
    /// Met where the value equals another; `nil` equals `nil`.
    @inlinable
    public static func == (lhs: Self, rhs: Term?) -> Condition { lhs.compared(.equal, rhs) }
    /// Met where the value differs from another.
    @inlinable
    public static func != (lhs: Self, rhs: Term?) -> Condition { lhs.compared(.notEqual, rhs) }
    /// Met where the value is less; never without a value.
    @inlinable
    public static func < (lhs: Self, rhs: Term) -> Condition { lhs.compared(.less, rhs) }
    /// Met where the value is less or equal; never without a value.
    @inlinable
    public static func <= (lhs: Self, rhs: Term) -> Condition { lhs.compared(.lessOrEqual, rhs) }
    /// Met where the value is greater; never without a value.
    @inlinable
    public static func > (lhs: Self, rhs: Term) -> Condition { lhs.compared(.greater, rhs) }
    /// Met where the value is greater or equal; never without a value.
    @inlinable
    public static func >= (lhs: Self, rhs: Term) -> Condition { lhs.compared(.greaterOrEqual, rhs) }

    /// Met where both values are equal, or both are `nil`.
    @inlinable
    public static func == <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.equal, rhs) }
    /// Met where the values differ.
    @inlinable
    public static func != <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.notEqual, rhs) }
    /// Met where the left value is less; never where either is `nil`.
    @inlinable
    public static func < <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.less, rhs) }
    /// Met where the left value is less or equal; never where either is `nil`.
    @inlinable
    public static func <= <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.lessOrEqual, rhs) }
    /// Met where the left value is greater; never where either is `nil`.
    @inlinable
    public static func > <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.greater, rhs) }
    /// Met where the left value is greater or equal; never where either is `nil`.
    @inlinable
    public static func >= <Other: QueryTerm>(lhs: Self, rhs: Other) -> Condition
    where Other.Term == Term, Other.Condition == Condition { lhs.compared(.greaterOrEqual, rhs) }

    /// Met where the value is among some.
    public func isIn(_ values: some Sequence<Term>) -> Condition {
        Condition(.comparison(.init(expression, .isIn, .constant(.list(values.map(\.value))))))
    }

    /// Met where the value is between two, or one of them.
    public func between(_ low: Term, _ high: Term) -> Condition {
        Condition(.comparison(.init(expression, .between, .constant(.list([low.value, high.value])))))
    }

    /// Met where the value is in a closed range.
    public func between(_ range: ClosedRange<Term>) -> Condition where Term: Comparable { between(range.lowerBound, range.upperBound) }

    /// Met where the value is in a closed range: `18...30 ~= Person.age`.
    public static func ~= (range: ClosedRange<Term>, term: Self) -> Condition where Term: Comparable { term.between(range) }

    /// Met where the value is in a range without its end: `18..<30 ~= Person.age`.
    public static func ~= (range: Range<Term>, term: Self) -> Condition where Term: Comparable {
        term >= range.lowerBound && term < range.upperBound
    }

    /// Compares with a constant, or with `nil`; options say how text is prepared.
    @inlinable
    public func compared(_ op: QueryComparison.Operator, _ constant: Term?, options: QueryComparison.Options = []) -> Condition {
        Condition(.comparison(.init(expression, op, .constant(constant?.value ?? .null), options)))
    }

    /// Compares with another term; options say how text is prepared.
    @inlinable
    public func compared<Other: QueryTerm>(
        _ op: QueryComparison.Operator, _ other: Other, options: QueryComparison.Options = []
    ) -> Condition where Other.Term == Term, Other.Condition == Condition {
        Condition(.comparison(.init(expression, op, other.expression, options)))
    }
}

extension QueryTerm where Term: TextualValue {
    /// Met where the text contains another.
    public func contains(_ text: String, _ options: QueryComparison.Options = []) -> Condition { matched(.contains, text, options) }
    /// Met where the text begins with another.
    public func beginsWith(_ text: String, _ options: QueryComparison.Options = []) -> Condition {
        matched(.beginsWith, text, options)
    }
    /// Met where the text ends with another.
    public func endsWith(_ text: String, _ options: QueryComparison.Options = []) -> Condition { matched(.endsWith, text, options) }
    /// Met where the text has a shape: `?` represents one character, `*` for any number of them.
    public func like(_ pattern: String, _ options: QueryComparison.Options = []) -> Condition { matched(.like, pattern, options) }
    /// Met where a regular expression matches the text from end to end.
    public func matches(_ pattern: String, _ options: QueryComparison.Options = []) -> Condition {
        matched(.matches, pattern, options)
    }

    private func matched(_ op: QueryComparison.Operator, _ text: String, _ options: QueryComparison.Options) -> Condition {
        Condition(.comparison(.init(expression, op, .constant(.string(text)), options)))
    }
}
