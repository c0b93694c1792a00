import FoundationEssentials
import StrataModel
import StrataQuery

/// A group of objects with what was computed over it; groups of several stores combine.
public struct Group: Sendable {
    /// The values that the objects have in common, one per key.
    public let keys: [Value]
    /// What was computed, one per aggregate.
    public var partials: [AggregatePartial]

    /// A group.
    public init(keys: [Value], partials: [AggregatePartial]) {
        self.keys = keys
        self.partials = partials
    }
}

/// What is known of an aggregate over some of a group's objects; only what its function needs is kept up.
public struct AggregatePartial: Sendable {
    /// The number of values that are not nil.
    public var count = 0
    /// Their sum.
    public var sum = Value.null
    /// The least.
    public var min = Value.null
    /// The greatest.
    public var max = Value.null
    /// All values that are not nil, for the functions that need each.
    public var values: [Value] = []

    /// Nothing known yet.
    public init() {}

    /// Takes in one value for a function.
    public mutating func add(_ value: Value, for function: GroupPlan.Function) {
        if value.isNull { return }
        var one = AggregatePartial()
        one.count = 1
        switch function {
        case .count: break
        case .sum, .average: one.sum = value
        case .min: one.min = value
        case .max: one.max = value
        case .countDistinct, .median, .standardDeviation: one.values = [value]
        }
        add(one)
    }

    /// Takes in what is known of other objects.
    public mutating func add(_ other: AggregatePartial) {
        count += other.count
        sum = AggregatePartial.sum(sum, other.sum)
        if !other.values.isEmpty { values += other.values }
        if min.isNull || other.min.compare(min) == .less { min = other.min.isNull ? min : other.min }
        if max.isNull || other.max.compare(max) == .greater { max = other.max.isNull ? max : other.max }
    }

    /// The value of the function over all that was taken in: 0 for the count, and 0 for the sum, of nothing; nil for the others.
    public func value(of function: GroupPlan.Function) -> Value {
        switch function {
        case .count: .int(Int64(count))
        case .sum: sum.isNull ? .int(0) : sum
        case .min: min
        case .max: max
        case .countDistinct: .int(Int64(Set(values).count))
        case .median, .standardDeviation: .null
        case .average:
            switch sum {
            case .int(let number): .double(Double(number) / Double(count))
            case .double(let number): .double(number / Double(count))
            case .decimal(let number): .decimal(number / Decimal(count))
            default: .null
            }
        }
    }

    /// The sum of two numbers; integers become floating-point where they overflow.
    static func sum(_ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.null, _): return b
        case (_, .null): return a
        case (.int(let x), .int(let y)):
            let (sum, overflow) = x.addingReportingOverflow(y)
            return overflow ? .double(Double(x) + Double(y)) : .int(sum)
        case (.double(let x), .double(let y)): return .double(x + y)
        case (.double(let x), .int(let y)): return .double(x + Double(y))
        case (.int(let x), .double(let y)): return .double(Double(x) + y)
        case (.decimal(let x), .decimal(let y)): return .decimal(x + y)
        default: return a
        }
    }
}
