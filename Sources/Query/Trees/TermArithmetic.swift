public import FoundationEssentials
public import StrataModel

// The result has the type of the left side. As everywhere in queries, `nil` makes `nil`, integers divide without remainder, and a division
// by zero is `nil`.

extension QueryTerm where Term: ArithmeticValue {
    /// The sum of two values.
    public static func + <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .add, rhs.expression))
    }
    /// The sum of a value and a constant.
    public static func + (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .add, .constant(rhs.value)))
    }
    /// The sum of a constant and a value.
    public static func + (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .add, rhs.expression))
    }
    /// The difference of two values.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .subtract, rhs.expression))
    }
    /// A value less a constant.
    public static func - (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .subtract, .constant(rhs.value)))
    }
    /// A constant less a value.
    public static func - (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .subtract, rhs.expression))
    }
    /// The product of two values.
    public static func * <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .multiply, rhs.expression))
    }
    /// The product of a value and a constant.
    public static func * (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .multiply, .constant(rhs.value)))
    }
    /// The product of a constant and a value.
    public static func * (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .multiply, rhs.expression))
    }
    /// The quotient of two values.
    public static func / <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .divide, rhs.expression))
    }
    /// The quotient of a value and a constant.
    public static func / (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .divide, .constant(rhs.value)))
    }
    /// The quotient of a constant and a value.
    public static func / (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(lhs.value), .divide, rhs.expression))
    }
    /// What is left of a value after a division by another.
    public static func % <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition {
        .init(.chain(lhs.expression, .modulus, rhs.expression))
    }
    /// What is left of a value after a division by a constant.
    public static func % (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(lhs.expression, .modulus, .constant(rhs.value)))
    }
    /// The value with its sign turned.
    public static prefix func - (term: Self) -> TypedExpression<Term, Condition> {
        .init(.function(.negate, [term.expression]))
    }
}

/// The value without its sign.
public func abs<T: QueryTerm>(_ term: T) -> TypedExpression<T.Term, T.Condition> where T.Term: ArithmeticValue {
    .init(.function(.abs, [term.expression]))
}

extension QueryTerm where Term == Date {
    /// The seconds from one date to another.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Double, Condition>
    where R.Term == Date, R.Condition == Condition {
        .init(.chain(lhs.expression, .subtract, rhs.expression))
    }
}
