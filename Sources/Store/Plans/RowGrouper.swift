/// Groups rows one by one.
///
/// A single integer key, and aggregates over numbers of the row itself, are read from the bytes; others by value.
public struct RowGrouper {
    private let integerKey: Slot?
    private let keyExpressions: [RowExpression]
    /// The keys with several values for a row, which is in a group of each.
    private let listKeys: [Int]
    private let operands: [Operand]
    private var table: GroupTable

    private enum Operand {
        case objects
        case integer(slot: Slot)
        case double(slot: Slot)
        case decimal(slot: Slot)
        case expression(RowExpression)
    }

    /// Creates a grouping without rows.
    public init(_ plan: GroupPlan) {
        table = GroupTable(plan)
        integerKey = plan.keys.count == 1 ? RowGrouper.ownSlot(plan.keys[0], kinds: [.integer]) : nil
        keyExpressions = plan.keys.map { RowExpression($0) }
        listKeys = plan.keys.indices.filter { if case .values = plan.keys[$0] { true } else { false } }
        operands = plan.aggregates.map { aggregate in
            guard let expression = aggregate.expression else { return .objects }
            switch aggregate.function {
            case .count, .sum, .average, .min, .max:
                if let slot = RowGrouper.ownSlot(expression, kinds: [.integer]) { return .integer(slot: slot) }
                if let slot = RowGrouper.ownSlot(expression, kinds: [.double, .float]) { return .double(slot: slot) }
                if let slot = RowGrouper.ownSlot(expression, kinds: [.decimal]) { return .decimal(slot: slot) }
            case .countDistinct, .median, .standardDeviation: break
            }
            return .expression(RowExpression(expression))
        }
    }

    /// Adds a row.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that an expression cannot take.
    public mutating func add(_ row: Row, _ resolver: any RowResolver) throws {
        if listKeys.isEmpty { return try add(row, resolver, to: try group(of: row, resolver)) }
        for keys in try tuples(of: row, resolver) { try add(row, resolver, to: table.group(of: keys)) }
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

    /// - Parameter first: The index of the group's first aggregate.
    private mutating func add(_ row: Row, _ resolver: any RowResolver, to first: Int) throws {
        for (index, operand) in operands.enumerated() {
            let tally = first + index
            switch operand {
            case .objects: table.tallies[tally].addObject()
            case .integer(let slot): if let number = row.integer(slot) { table.tallies[tally].add(number) }
            case .double(let slot): if let number = row.double(slot) { table.tallies[tally].add(number) }
            case .decimal(let slot):
                // A decimal is no external value, which might be unavailable.
                if let number = row.decimal(slot) { table.tallies[tally].add(number, for: table.functions[index]) }
            case .expression(let expression):
                table.tallies[tally].add(try expression.value(row, resolver), for: table.functions[index])
            }
        }
    }

    /// The groups of all added rows, in no order.
    public var groups: [Group] { table.groups }

    private mutating func group(of row: Row, _ resolver: any RowResolver) throws -> Int {
        if let integerKey, let number = row.integer(integerKey) { return table.group(ofInteger: number) }
        return table.group(of: try keyExpressions.map { try $0.value(row, resolver) })
    }

    /// Returns the slot of the row itself that an expression reads, where it is of one of some kinds.
    private static func ownSlot(_ expression: ResolvedExpression, kinds: [SlotKind]) -> Slot? {
        guard let path = expression.path, path.steps.isEmpty, kinds.contains(path.leafKind) else { return nil }
        return path.leafSlot
    }
}
