import StrataModel
import StrataQuery

/// Groups rows one by one.
///
/// A single key that is an integer, and aggregates over numbers of the row itself, are read from the bytes; anything else goes by values.
public struct RowGrouper {
    private let plan: GroupPlan
    private let integerKey: Int?
    private let keyExpressions: [RowExpression]
    private let operands: [Operand]
    private var indexOfKeys: [[Value]: Int] = [:]
    private var indexOfInteger: [Int64: Int] = [:]
    private var keys: [[Value]] = []
    private var tallies: [Tally] = []

    private enum Operand {
        case objects
        case integer(slot: Int)
        case double(slot: Int)
        case expression(RowExpression)
    }

    /// What is known of one aggregate of one group.
    private struct Tally {
        var count = 0
        var integerSum: Int64 = 0
        var doubleSum = 0.0
        var leastInteger = Int64.max
        var greatestInteger = Int64.min
        var leastDouble = Double.infinity
        var greatestDouble = -Double.infinity
        var hasOrderedDouble = false
        var general = AggregatePartial()
    }

    /// A grouping of no rows yet.
    public init(_ plan: GroupPlan) {
        self.plan = plan
        integerKey = plan.keys.count == 1 ? RowGrouper.ownSlot(plan.keys[0], kinds: [.integer]) : nil
        keyExpressions = plan.keys.map { RowExpression($0) }
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

    /// Takes in a row.
    public mutating func add(_ row: Row, _ resolver: any RowResolver) throws {
        let group = try place(of: row, resolver)
        for (index, operand) in operands.enumerated() {
            let place = group * operands.count + index
            switch operand {
            case .objects: tallies[place].count += 1
            case .integer(let slot):
                guard let number = row.integer(slot) else { continue }
                tallies[place].count += 1
                let (sum, overflow) = tallies[place].integerSum.addingReportingOverflow(number)
                if overflow {
                    // From here on the sum is a floating-point number, as everywhere.
                    var carried = AggregatePartial()
                    carried.sum = .double(Double(tallies[place].integerSum))
                    tallies[place].general.add(carried)
                    tallies[place].integerSum = number
                } else {
                    tallies[place].integerSum = sum
                }
                if number < tallies[place].leastInteger { tallies[place].leastInteger = number }
                if number > tallies[place].greatestInteger { tallies[place].greatestInteger = number }
            case .double(let slot):
                guard let number = row.double(slot) else { continue }
                tallies[place].count += 1
                tallies[place].doubleSum += number
                if number.isNaN { continue }
                tallies[place].hasOrderedDouble = true
                if number < tallies[place].leastDouble { tallies[place].leastDouble = number }
                if number > tallies[place].greatestDouble { tallies[place].greatestDouble = number }
            case .expression(let expression):
                tallies[place].general.add(try expression.value(row, resolver), for: plan.aggregates[index].function)
            }
        }
    }

    /// The groups of all rows taken in, in no order.
    public var groups: [Group] {
        keys.indices.map { group in
            Group(keys: keys[group], partials: operands.indices.map { partial(group, $0) })
        }
    }

    private func partial(_ group: Int, _ index: Int) -> AggregatePartial {
        let tally = tallies[group * operands.count + index]
        let function = plan.aggregates[index].function
        var partial = tally.general
        switch operands[index] {
        case .expression: return partial
        case .objects: partial.count = tally.count
        case .integer:
            partial.count = tally.count
            if tally.count == 0 { break }
            if function == .sum || function == .average {
                var rest = AggregatePartial()
                rest.sum = .int(tally.integerSum)
                partial.add(rest)
            }
            if function == .min { partial.min = .int(tally.leastInteger) }
            if function == .max { partial.max = .int(tally.greatestInteger) }
        case .double:
            partial.count = tally.count
            if tally.count == 0 { break }
            if function == .sum || function == .average { partial.sum = .double(tally.doubleSum) }
            if function == .min { partial.min = .double(tally.hasOrderedDouble ? tally.leastDouble : .nan) }
            if function == .max { partial.max = .double(tally.hasOrderedDouble ? tally.greatestDouble : .nan) }
        }
        return partial
    }

    private mutating func place(of row: Row, _ resolver: any RowResolver) throws -> Int {
        if plan.keys.isEmpty { return 0 }
        if let integerKey, let number = row.integer(integerKey) {
            if let known = indexOfInteger[number] { return known }
            let place = add([.int(number)])
            indexOfInteger[number] = place
            return place
        }
        let values = try keyExpressions.map { try $0.value(row, resolver) }
        return indexOfKeys[values] ?? add(values)
    }

    private mutating func add(_ values: [Value]) -> Int {
        let place = keys.count
        indexOfKeys[values] = place
        keys.append(values)
        tallies += operands.map { _ in Tally() }
        return place
    }

    /// The slot of the row itself that an expression reads, where it is of one of some kinds.
    private static func ownSlot(_ expression: ResolvedExpression, kinds: [SlotKind]) -> Int? {
        guard let path = expression.path, path.steps.isEmpty, kinds.contains(path.leafKind) else { return nil }
        return path.leafSlot
    }
}
