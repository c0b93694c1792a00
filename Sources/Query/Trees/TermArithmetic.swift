public import StrataModel

// The result has the type of the left side. As everywhere in queries, `nil` gives `nil`, integers divide without
// remainder, and a division by zero is `nil`.

extension QueryTerm where Term: ArithmeticValue {
    /// Returns the sum of two values.
    public static func + <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition { lhs.joined(.add, rhs.expression) }
    /// Returns the sum of a value and a constant.
    public static func + (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> { lhs.joined(.add, rhs) }
    /// Returns the sum of a constant and a value.
    public static func + (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> { rhs.joined(.add, behind: lhs) }
    /// Returns the difference of two values.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition { lhs.joined(.subtract, rhs.expression) }
    /// Returns a value less a constant.
    public static func - (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> { lhs.joined(.subtract, rhs) }
    /// Returns a constant less a value.
    public static func - (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> { rhs.joined(.subtract, behind: lhs) }
    /// Returns the product of two values.
    public static func * <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition { lhs.joined(.multiply, rhs.expression) }
    /// Returns the product of a value and a constant.
    public static func * (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> { lhs.joined(.multiply, rhs) }
    /// Returns the product of a constant and a value.
    public static func * (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> { rhs.joined(.multiply, behind: lhs) }
    /// Returns the quotient of two values.
    public static func / <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition { lhs.joined(.divide, rhs.expression) }
    /// Returns the quotient of a value and a constant.
    public static func / (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> { lhs.joined(.divide, rhs) }
    /// Returns the quotient of a constant and a value.
    public static func / (lhs: Term, rhs: Self) -> TypedExpression<Term, Condition> { rhs.joined(.divide, behind: lhs) }
    /// Returns the remainder of a division of two values.
    public static func % <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Term, Condition>
    where R.Term: ArithmeticValue, R.Condition == Condition { lhs.joined(.modulus, rhs.expression) }
    /// Returns the remainder of a division by a constant.
    public static func % (lhs: Self, rhs: Term) -> TypedExpression<Term, Condition> { lhs.joined(.modulus, rhs) }
    /// Returns the value with its sign inverted.
    public static prefix func - (term: Self) -> TypedExpression<Term, Condition> { term.applying(.negate) }
}

/// Returns the value without its sign.
public func abs<T: QueryTerm>(_ term: T) -> TypedExpression<T.Term, T.Condition> where T.Term: ArithmeticValue { term.applying(.abs) }

extension QueryTerm where Term == Date {
    /// Returns the seconds from one date to another.
    public static func - <R: QueryTerm>(lhs: Self, rhs: R) -> TypedExpression<Double, Condition>
    where R.Term == Date, R.Condition == Condition { lhs.joined(.subtract, rhs.expression) }
}

extension QueryTerm {
    /// Returns the term joined with a right side by an operator.
    func joined<Result>(_ function: QueryFunction, _ right: QueryExpression) -> TypedExpression<Result, Condition> {
        .init(.chain(expression, function, right))
    }

    /// Returns the term joined with a constant right side by an operator.
    func joined(_ function: QueryFunction, _ right: Term) -> TypedExpression<Term, Condition> {
        joined(function, .constant(right.value))
    }

    /// Returns the term joined with a constant left side by an operator.
    fileprivate func joined(_ function: QueryFunction, behind left: Term) -> TypedExpression<Term, Condition> {
        .init(.chain(.constant(left.value), function, expression))
    }
}
