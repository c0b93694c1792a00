public import FoundationEssentials
public import StrataModel

// The result has the type of the left side. As everywhere in queries, `nil` gives `nil`, integers divide without
// remainder, and a division by zero is `nil`.

extension QueryTerm where Term: ArithmeticValue {
    /// Returns the sum of two values.
    public static func + <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .add, rhs.expression))
    }
    /// Returns the sum of a value and a constant.
    public static func + (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .add, .constant(rhs.value)))
    }
    /// Returns the sum of a constant and a value.
    public static func + (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .add, rhs.expression))
    }
    /// Returns the difference of two values.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .subtract, rhs.expression))
    }
    /// Returns a value less a constant.
    public static func - (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .subtract, .constant(rhs.value)))
    }
    /// Returns a constant less a value.
    public static func - (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .subtract, rhs.expression))
    }
    /// Returns the product of two values.
    public static func * <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .multiply, rhs.expression))
    }
    /// Returns the product of a value and a constant.
    public static func * (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .multiply, .constant(rhs.value)))
    }
    /// Returns the product of a constant and a value.
    public static func * (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .multiply, rhs.expression))
    }
    /// Returns the quotient of two values.
    public static func / <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .divide, rhs.expression))
    }
    /// Returns the quotient of a value and a constant.
    public static func / (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .divide, .constant(rhs.value)))
    }
    /// Returns the quotient of a constant and a value.
    public static func / (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .divide, rhs.expression))
    }
    /// Returns the remainder of a division of two values.
    public static func % <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .modulus, rhs.expression))
    }
    /// Returns the remainder of a division by a constant.
    public static func % (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .modulus, .constant(rhs.value)))
    }
    /// Returns the value with its sign inverted.
    public static prefix func - (term: Self) -> TypedExpression<Term, Condition> {
        .init(.function(.negate, [term.expression]))
    }
}

/// Returns the value without its sign.
public func abs<T: QueryTerm>(_ term: T) -> TypedExpression<T.Term, T.Condition> where T.Term: ArithmeticValue {
    .init(.function(.abs, [term.expression]))
}

extension QueryTerm where Term == Date {
    /// Returns the seconds from one date to another.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Double, Condition>
    where R.Term == Date, R.Condition == Condition {
        .init(.chain(lhs.expression, .subtract, rhs.expression))
    }
}
