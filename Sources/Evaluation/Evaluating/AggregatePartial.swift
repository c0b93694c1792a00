import StrataText

/// A partial aggregate over some values of a group or a collection; only what its function needs is maintained.
public struct AggregatePartial: Sendable {
    /// The number of non-nil values; for sums and averages, of numbers; of distinct values in an unnamed form.
    public var count = 0
    /// The sum of all but decimals; `null` without values, of integers the lowest 64 bits.
    public var sum = Value.null
    /// The exact sum of the decimals; `nil` without any.
    public var decimals: DecimalSum?
    /// The number of times 2^64 belongs to a sum of integers, which is exact in any order.
    public var carries: Int64 = 0
    /// The least value; `null` without values.
    public var min = Value.null
    /// The greatest value; `null` without values.
    public var max = Value.null
    /// All numbers, for the functions that need each.
    public var values: [Value] = []
    /// The distinct values; values of equal magnitude are one.
    public var distinct: Set<Value> = []

    /// Creates a partial aggregate without values.
    public init() {}

    /// Adds a value for a function; ignores nil, and values other than numbers where the function needs numbers.
    public mutating func add(_ value: Value, for function: AggregateFunction) {
        if value.isNull { return }
        switch function {
        case .count: count += 1
        case .sum, .average:
            guard value.number != nil else { return }
            count += 1
            if case .decimal = value, let number = DecimalNumber(value) {
                decimals = decimals ?? DecimalSum()
                decimals?.add(number)
            } else {
                add(sum: value.asNumber, carries: 0)
            }
        case .min:
            count += 1
            if AggregatePartial.isBetter(value, than: min, .less) { min = value }
        case .max:
            count += 1
            if AggregatePartial.isBetter(value, than: max, .greater) { max = value }
        case .countDistinct:
            count += 1
            distinct.insert(value.distinctKey)
        case .median, .standardDeviation:
            guard value.number != nil else { return }
            count += 1
            values.append(value)
        }
    }

    /// Adds another partial aggregate.
    public mutating func add(_ other: AggregatePartial) {
        count += other.count
        if !other.sum.isNull { add(sum: other.sum, carries: other.carries) }
        if let others = other.decimals {
            decimals = decimals ?? DecimalSum()
            decimals?.add(others)
        }
        if !other.values.isEmpty { values += other.values }
        if !other.distinct.isEmpty { distinct.formUnion(other.distinct) }
        if AggregatePartial.isBetter(other.min, than: min, .less) { min = other.min }
        if AggregatePartial.isBetter(other.max, than: max, .greater) { max = other.max }
    }

    private mutating func add(sum other: Value, carries others: Int64) {
        switch (sum, other) {
        case (.null, _): (sum, carries) = (other, others)
        case (.int(let a), .int(let b)):
            sum = .int(a &+ b)
            carries += others + AggregatePartial.carry(a, b)
        default:
            sum = Arithmetic.add(AggregatePartial.total(sum, carries), AggregatePartial.total(other, others))
            carries = 0
        }
    }

    /// Returns the number of times 2^64 is missing in a sum of integers that wraps around.
    @inlinable
    public static func carry(_ a: Int64, _ b: Int64) -> Int64 { a.addingReportingOverflow(b).overflow ? (b < 0 ? -1 : 1) : 0 }

    private static func total(_ sum: Value, _ carries: Int64) -> Value {
        guard carries != 0, case .int(let low) = sum else { return sum }
        return .double(Double(carries) * 0x1p64 + Double(low))
    }

    /// Replaces the references of objects of a scope by their IDs, which are the same in several stores.
    package mutating func nameObjects(_ scope: ObjectIDScope) {
        func named(_ value: Value) -> Value {
            if case .int(let reference) = value { .objectID(ObjectID(scope: scope, reference: reference)) } else { value }
        }
        (min, max) = (named(min), named(max))
        distinct = Set(distinct.map(named))
    }

    /// Returns the value of the function: 0 for counts and sums without values, else nil.
    ///
    /// The average, the median and the standard deviation of integers are floating-point numbers.
    ///
    /// - Throws: `QueryError` with `overflow` for a sum or an average beyond the range of decimals.
    public func value(of function: AggregateFunction) throws(QueryError) -> Value {
        switch function {
        case .count: return .int(Int64(count))
        case .countDistinct: return .int(Int64(distinct.isEmpty ? count : distinct.count))
        case .sum, .average:
            if let decimals { return try value(of: function, decimals) }
            if function == .average { return AggregatePartial.ratio(AggregatePartial.total(sum, carries), count) }
            return sum.isNull ? .int(0) : AggregatePartial.total(sum, carries)
        case .min: return min
        case .max: return max
        case .median: return median
        case .standardDeviation: return standardDeviation
        }
    }

    private func value(of function: AggregateFunction, _ decimals: DecimalSum) throws(QueryError) -> Value {
        var decimals = decimals
        switch sum {
        case .double:
            let all = Arithmetic.add(sum, .decimal(decimals.decimal ?? .nan))
            return function == .sum ? all : AggregatePartial.ratio(all, count)
        case .int(let low):
            decimals.add(DecimalNumber(low))
            let carried = DecimalNumber(magnitude: UInt128(carries.magnitude) << 64, exponent: 0, isNegative: carries < 0)
            decimals.add(carried)
        default: break
        }
        guard let result = decimals.quotient(by: function == .sum ? 1 : Swift.max(count, 1)) else {
            throw QueryError(.overflow, subject: function.rawValue, "the result is beyond the range of decimal numbers")
        }
        return .decimal(result)
    }

    /// Returns whether a value replaces the best one so far: any value replaces nil, and any number or date a NaN.
    private static func isBetter(_ value: Value, than best: Value, _ wanted: Ordering) -> Bool {
        if value.isNull { return false }
        if best.isNull { return true }
        let ordering = value.compare(best)
        if ordering != .unordered { return ordering == wanted }
        // A point in time is a number of seconds, which may be NaN.
        if case .date(let best) = best, case .date(let value) = value {
            return best.timeIntervalSinceReferenceDate.isNaN && !value.timeIntervalSinceReferenceDate.isNaN
        }
        return best.isNaN && !value.isNaN && value.number != nil
    }

    private static func ratio(_ sum: Value, _ count: Int) -> Value {
        if count == 0 { return .null }
        if case .int(let number) = sum { return .double(Double(number) / Double(count)) }
        return Arithmetic.divide(sum, .int(Int64(count)))
    }

    private var median: Value {
        let sorted = values.sorted { $0.sortOrder($1) == .less }
        guard let high = sorted.indices.contains(sorted.count / 2) ? sorted[sorted.count / 2] : nil else { return .null }
        if sorted.count % 2 == 1 { return AggregatePartial.ratio(high.asNumber, 1) }
        let low = sorted[sorted.count / 2 - 1]
        return AggregatePartial.ratio(Arithmetic.add(low, high), 2)
    }

    private var standardDeviation: Value {
        let numbers = values.compactMap { $0.number?.asDouble }
        if numbers.isEmpty { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .double((squares / Double(numbers.count)).squareRoot())
    }
}
