/// The groups of what was added so far, each with a running aggregate for each of a plan's.
@frozen
public struct GroupTable {
    /// The functions of the aggregates.
    public let functions: [GroupPlan.Function]
    /// The running aggregates, those of one group behind each other.
    public var tallies: [AggregateTally] = []
    @usableFromInline var indexOfInteger: [Int64: Int] = [:]
    @usableFromInline var indexOfKeys: [TupleKey: Int] = [:]
    @usableFromInline var keys: [[Value]] = []

    /// Creates a table without groups; with the one of all objects where the plan has no keys.
    public init(_ plan: GroupPlan) {
        functions = plan.aggregates.map(\.function)
        if plan.keys.isEmpty { _ = add([]) }
    }

    /// Returns the index, in ``tallies``, of the first aggregate of the group with a single integer key.
    @inlinable
    public mutating func group(ofInteger number: Int64) -> Int {
        if let known = indexOfInteger[number] { return known }
        let group = add([.int(number)])
        indexOfInteger[number] = group
        return group
    }

    /// Returns the index, in ``tallies``, of the first aggregate of the group with some keys; those of one table are all integers, or none
    /// is.
    public mutating func group(of values: [Value]) -> Int {
        if values.isEmpty { return 0 }
        let key = TupleKey(values)
        if let known = indexOfKeys[key] { return known }
        let group = add(values)
        indexOfKeys[key] = group
        return group
    }

    @usableFromInline mutating func add(_ values: [Value]) -> Int {
        keys.append(values)
        for _ in functions { tallies.append(AggregateTally()) }
        return tallies.count - functions.count
    }

    /// The groups, in no order.
    public var groups: [Group] {
        keys.indices.map { group in
            Group(
                keys: keys[group],
                partials: functions.indices.map { tallies[group * functions.count + $0].partial(for: functions[$0]) })
        }
    }
}
