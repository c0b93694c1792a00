public import StrataEvaluation
public import StrataModel
import StrataQuery

/// Groups rows one by one.
///
/// A single integer key, and aggregates over numbers of the row itself, are read from the bytes; others by value.
public struct RowGrouper {
    private let plan: GroupPlan
    private let integerKey: Slot?
    private let keyExpressions: [RowExpression]
    /// The keys with several values for a row, which is in a group of each.
    private let listKeys: [Int]
    private let operands: [Operand]
    private var indexOfKeys: [TupleKey: Int] = [:]
    private var indexOfInteger: [Int64: Int] = [:]
    private var keys: [[Value]] = []
    private var tallies: [AggregateTally] = []

    private enum Operand {
        case objects
        case integer(slot: Slot)
        case double(slot: Slot)
        case expression(RowExpression)
    }

    /// Creates a grouping without rows.
    public init(_ plan: GroupPlan) {
        self.plan = plan
        integerKey = plan.keys.count == 1 ? RowGrouper.ownSlot(plan.keys[0], kinds: [.integer]) : nil
        keyExpressions = plan.keys.map { RowExpression($0) }
        listKeys = plan.keys.indices.filter { if case .values = plan.keys[$0] { true } else { false } }
        operands = plan.aggregates.map { aggregate in
            guard let expression = aggregate.expression else { return .objects }
            switch aggregate.function {
            case .count, .sum, .average, .min, .max:
                if let slot = RowGrouper.ownSlot(expression, kinds: [.integer]) { return .integer(slot: slot) }
                if let slot = RowGrouper.ownSlot(expression, kinds: [.double, .float]) { return .double(slot: slot) }
            case .countDistinct, .median, .standardDeviation: break
            }
            return .expression(RowExpression(expression))
        }
        if plan.keys.isEmpty { _ = add([]) }
    }

    /// Adds a row.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that an expression cannot take.
    public mutating func add(_ row: Row, _ resolver: any RowResolver) throws {
        if listKeys.isEmpty { return try add(row, resolver, to: try group(of: row, resolver)) }
        for keys in try tuples(of: row, resolver) { try add(row, resolver, to: group(of: keys)) }
    }

    /// Returns the keys of each group that a row is in: of each distinct value of a list, and of nil for an empty list.
    private func tuples(of row: Row, _ resolver: any RowResolver) throws -> [[Value]] {
        var tuples: [[Value]] = [[]]
        for (index, expression) in keyExpressions.enumerated() {
            let value = try expression.value(row, resolver)
            var values = [value]
            if listKeys.contains(index), case .list(let elements) = value {
                var seen: Set<Value> = []
                values = elements.filter { seen.insert($0).inserted }
                if values.isEmpty { values = [.null] }
            }
            tuples = tuples.flatMap { tuple in values.map { tuple + [$0] } }
        }
        return tuples
    }

    private mutating func add(_ row: Row, _ resolver: any RowResolver, to group: Int) throws {
        for (index, operand) in operands.enumerated() {
            let tally = group * operands.count + index
            switch operand {
            case .objects: tallies[tally].addObject()
            case .integer(let slot): if let number = row.integer(slot) { tallies[tally].add(number) }
            case .double(let slot): if let number = row.double(slot) { tallies[tally].add(number) }
            case .expression(let expression):
                tallies[tally].add(try expression.value(row, resolver), for: plan.aggregates[index].function)
            }
        }
    }

    /// The groups of all added rows, in no order.
    public var groups: [Group] {
        keys.indices.map { group in
            Group(
                keys: keys[group],
                partials: plan.aggregates.indices.map { tallies[group * operands.count + $0].partial(for: plan.aggregates[$0].function) })
        }
    }

    private mutating func group(of row: Row, _ resolver: any RowResolver) throws -> Int {
        if plan.keys.isEmpty { return 0 }
        if let integerKey, let number = row.integer(integerKey) {
            if let known = indexOfInteger[number] { return known }
            let group = add([.int(number)])
            indexOfInteger[number] = group
            return group
        }
        return group(of: try keyExpressions.map { try $0.value(row, resolver) })
    }

    private mutating func group(of values: [Value]) -> Int {
        let key = TupleKey(values)
        if let known = indexOfKeys[key] { return known }
        let group = add(values)
        indexOfKeys[key] = group
        return group
    }

    private mutating func add(_ values: [Value]) -> Int {
        let group = keys.count
        keys.append(values)
        for _ in operands { tallies.append(AggregateTally()) }
        return group
    }

    /// Returns the slot of the row itself that an expression reads, where it is of one of some kinds.
    private static func ownSlot(_ expression: ResolvedExpression, kinds: [SlotKind]) -> Slot? {
        guard let path = expression.path, path.steps.isEmpty, kinds.contains(path.leafKind) else { return nil }
        return path.leafSlot
    }
}
