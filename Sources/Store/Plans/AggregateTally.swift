/// A running aggregate over values of one kind.
///
/// Numbers are added without making values of them.
@frozen
public struct AggregateTally {
    @usableFromInline enum Content {
        case nothing, integers, doubles, values
    }

    @usableFromInline var content = Content.nothing
    @usableFromInline var count = 0
    @usableFromInline var integerSum: Int64 = 0
    @usableFromInline var carries: Int64 = 0
    @usableFromInline var doubleSum = 0.0
    @usableFromInline var leastInteger = Int64.max
    @usableFromInline var greatestInteger = Int64.min
    @usableFromInline var leastDouble = Double.infinity
    @usableFromInline var greatestDouble = -Double.infinity
    @usableFromInline var hasOrderedDouble = false
    @usableFromInline var general = AggregatePartial()

    /// Creates an empty tally.
    @inlinable
    public init() {}

    /// Adds an object.
    @inlinable
    public mutating func addObject() { count += 1 }

    /// Adds an integer.
    @inlinable
    public mutating func add(_ number: Int64) {
        content = .integers
        count += 1
        carries += AggregatePartial.carry(integerSum, number)
        integerSum &+= number
        if number < leastInteger { leastInteger = number }
        if number > greatestInteger { greatestInteger = number }
    }

    /// Adds a floating-point number.
    @inlinable
    public mutating func add(_ number: Double) {
        content = .doubles
        count += 1
        doubleSum += number
        if number.isNaN { return }
        hasOrderedDouble = true
        if number < leastDouble { leastDouble = number }
        if number > greatestDouble { greatestDouble = number }
    }

    /// Adds any value, for a function.
    public mutating func add(_ value: Value, for function: GroupPlan.Function) {
        content = .values
        general.add(value, for: function)
    }

    /// Returns the partial aggregate, for a function.
    public func partial(for function: GroupPlan.Function) -> AggregatePartial {
        if content == .values { return general }
        var partial = AggregatePartial()
        partial.count = count
        switch (function, content) {
        case (.sum, .integers), (.average, .integers):
            (partial.sum, partial.carries) = (.int(integerSum), carries)
        case (.sum, .doubles), (.average, .doubles): partial.sum = .double(doubleSum)
        case (.min, .integers): partial.min = .int(leastInteger)
        case (.max, .integers): partial.max = .int(greatestInteger)
        case (.min, .doubles): partial.min = .double(hasOrderedDouble ? leastDouble : .nan)
        case (.max, .doubles): partial.max = .double(hasOrderedDouble ? greatestDouble : .nan)
        default: break
        }
        return partial
    }
}
