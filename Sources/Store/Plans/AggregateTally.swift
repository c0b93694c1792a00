/// A running aggregate over values of one kind.
///
/// Numbers are added without making values of them.
@frozen
public struct AggregateTally {
    @usableFromInline enum Content {
        case nothing, integers, doubles, decimals, values
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
    @usableFromInline var decimals: (sum: DecimalSum, best: DecimalNumber?) = (DecimalSum(), nil)
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

    /// Adds a decimal, for a function other than those that need all values.
    @inlinable
    public mutating func add(_ number: DecimalNumber, for function: GroupPlan.Function) {
        content = .decimals
        count += 1
        switch function {
        case .sum, .average: decimals.sum.add(number)
        case .min, .max: takeBest(number, function == .min ? .less : .greater)
        case .count, .countDistinct, .median, .standardDeviation: break
        }
    }

    /// Adds the decimal that a floating-point number is nearest to, to a sum.
    ///
    /// - Returns: False, with nothing added, where none is found without looking at its digits.
    @inlinable
    public mutating func add(nearestTo number: Double) -> Bool {
        guard decimals.sum.add(nearestTo: number) else { return false }
        content = .decimals
        count += 1
        return true
    }

    @usableFromInline
    mutating func takeBest(_ number: DecimalNumber, _ wanted: Ordering) {
        if let best = decimals.best, !best.isNaN, number.isNaN || number.compare(best) != wanted { return }
        decimals.best = number
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
        case (.sum, .decimals), (.average, .decimals): partial.decimals = decimals.sum
        case (.min, .decimals): partial.min = .decimal(decimals.best?.decimal ?? .nan)
        case (.max, .decimals): partial.max = .decimal(decimals.best?.decimal ?? .nan)
        default: break
        }
        return partial
    }
}
