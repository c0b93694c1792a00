public import StrataModel

extension QueryTerm where Term: ArithmeticValue {
    /// The greatest whole number that is not above the value.
    public var floor: TypedExpression<Term, Condition> { applying(.floor) }
    /// The least whole number that is not below the value.
    public var ceiling: TypedExpression<Term, Condition> { applying(.ceiling) }
    /// The value without its fraction.
    public var truncated: TypedExpression<Term, Condition> { applying(.trunc) }
    /// The square root, a floating-point number; `nil` of a negative one.
    public var squareRoot: TypedExpression<Double, Condition> { applying(.squareRoot) }

    /// Returns the value to a power.
    public func raised(to exponent: Double) -> TypedExpression<Double, Condition> { applying(.raise, .double(exponent)) }
}

extension QueryTerm where Term: TextualValue {
    /// The text in capital letters.
    public var uppercased: TypedExpression<String, Condition> { applying(.uppercase) }
    /// The text in small letters.
    public var lowercased: TypedExpression<String, Condition> { applying(.lowercase) }
    /// The text without case and diacritics.
    public var canonical: TypedExpression<String, Condition> { applying(.canonical) }
    /// The number of Unicode scalars.
    public var length: TypedExpression<Int, Condition> { applying(.length) }
    /// The number of characters.
    public var characterCount: TypedExpression<Int, Condition> { applying(.characterCount) }
}

extension QueryTerm where Term == Date {
    /// Returns the date some seconds later; earlier for a negative number.
    public func addingTimeInterval(_ seconds: Double) -> TypedExpression<Date, Condition> { applying(.add, .double(seconds)) }

    /// Returns a part of the date in a time zone: `start.part(.month, in: "Europe/Rome")`.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - zone: A name of the IANA database, `UTC`, or a fixed offset such as `+05:30`; a fetch throws `QueryError` with `unknownTimeZone`
    ///     where the system has no such zone.
    public func part(_ part: DatePart, in zone: String) -> TypedExpression<Int, Condition> { applying(QueryFunction(part), .string(zone)) }

    /// Returns a part of the date in a time zone.
    public func part(_ part: DatePart, in zone: TimeZone) -> TypedExpression<Int, Condition> { self.part(part, in: zone.identifier) }
}

extension TypedExpression where Term == Date {
    /// The moment when the fetch begins.
    public static var now: TypedExpression<Date, Condition> { .init(.function(.now, [])) }
}

extension QueryTerm {
    /// Returns the value, or a constant where there is none.
    public func ifNil(_ fallback: Term) -> TypedExpression<Term, Condition> {
        .init(.conditional((self == nil).predicate, .constant(fallback.value), expression))
    }

    /// Returns the result of a function of the value and of constants, of an unchecked type.
    public func applying<Result: ValueConvertible>(_ function: QueryFunction, _ arguments: Value...) -> TypedExpression<Result, Condition> {
        .init(.function(function, [expression] + arguments.map { .constant($0) }))
    }
}

extension TypedExpression {
    /// Creates the choice of one of two terms.
    public init<A: QueryTerm, B: QueryTerm>(if condition: Condition, then a: A, else b: B)
    where A.Term == Term, B.Term == Term, A.Condition == Condition, B.Condition == Condition {
        self.init(.conditional(condition.predicate, a.expression, b.expression))
    }
}
