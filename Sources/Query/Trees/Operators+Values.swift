public import StrataModel

// Comparisons of an untyped expression, `key("count") > limit`, with a value of any natively supported Swift type.
// Disfavoured, so that literals have their default types.

extension QueryTerm where Term == Value {
    /// Met where the value equals another; `nil` equals `nil`.
    @_disfavoredOverload
    public static func == <V: ValueConvertible>(lhs: Self, rhs: V?) -> Condition { lhs.compared(.equal, rhs?.value) }
    /// Met where the value differs from another.
    @_disfavoredOverload
    public static func != <V: ValueConvertible>(lhs: Self, rhs: V?) -> Condition { lhs.compared(.notEqual, rhs?.value) }
    /// Met where the value is less; never without a value.
    @_disfavoredOverload
    public static func < (lhs: Self, rhs: some ValueConvertible) -> Condition { lhs.compared(.less, rhs.value) }
    /// Met where the value is less or equal; never without a value.
    @_disfavoredOverload
    public static func <= (lhs: Self, rhs: some ValueConvertible) -> Condition { lhs.compared(.lessOrEqual, rhs.value) }
    /// Met where the value is greater; never without a value.
    @_disfavoredOverload
    public static func > (lhs: Self, rhs: some ValueConvertible) -> Condition { lhs.compared(.greater, rhs.value) }
    /// Met where the value is greater or equal; never without a value.
    @_disfavoredOverload
    public static func >= (lhs: Self, rhs: some ValueConvertible) -> Condition { lhs.compared(.greaterOrEqual, rhs.value) }

    /// Met where the value is among some.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<some ValueConvertible>) -> Condition { isIn(values.map { $0.value }) }

    /// Met where the value is between two, or one of them.
    @_disfavoredOverload
    public func between<V: ValueConvertible>(_ low: V, _ high: V) -> Condition { between(low.value, high.value) }

    /// Met where the value is in a closed range.
    @_disfavoredOverload
    public func between<V: ValueConvertible>(_ range: ClosedRange<V>) -> Condition { between(range.lowerBound, range.upperBound) }

    /// Met where the value is in a closed range: `18...30 ~= key("age")`.
    @_disfavoredOverload
    public static func ~= <V: ValueConvertible>(range: ClosedRange<V>, term: Self) -> Condition { term.between(range) }

    /// Met where the value is in a range without its end: `18..<30 ~= key("age")`.
    @_disfavoredOverload
    public static func ~= <V: ValueConvertible>(range: Range<V>, term: Self) -> Condition {
        term >= range.lowerBound && term < range.upperBound
    }

    /// Compares with a value, or with `nil`; options say how text is prepared.
    @_disfavoredOverload
    public func compared<V: ValueConvertible>(
        _ op: QueryComparison.Operator, _ value: V?, options: QueryComparison.Options = []
    ) -> Condition { compared(op, value?.value, options: options) }
}

extension QueryTerm where Term == Value {
    /// Returns the sum of a value and a number.
    @_disfavoredOverload
    public static func + (lhs: Self, rhs: some ArithmeticValue) -> TypedExpression<Term, Condition> { lhs.joined(.add, rhs.value) }
    /// Returns a value less a number.
    @_disfavoredOverload
    public static func - (lhs: Self, rhs: some ArithmeticValue) -> TypedExpression<Term, Condition> { lhs.joined(.subtract, rhs.value) }
    /// Returns the product of a value and a number.
    @_disfavoredOverload
    public static func * (lhs: Self, rhs: some ArithmeticValue) -> TypedExpression<Term, Condition> { lhs.joined(.multiply, rhs.value) }
    /// Returns the quotient of a value and a number.
    @_disfavoredOverload
    public static func / (lhs: Self, rhs: some ArithmeticValue) -> TypedExpression<Term, Condition> { lhs.joined(.divide, rhs.value) }
    /// Returns the remainder of a division by a number.
    @_disfavoredOverload
    public static func % (lhs: Self, rhs: some ArithmeticValue) -> TypedExpression<Term, Condition> { lhs.joined(.modulus, rhs.value) }
}
