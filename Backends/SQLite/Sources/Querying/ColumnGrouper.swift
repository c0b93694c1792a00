import CStrataSQLite
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Takes the rows of a result together by their keys.
struct ColumnGrouper {
    private enum Source {
        case objects
        case integer(Int32)
        case double(Int32)
        case value(Int32, SQLExpression)
    }

    private let keys: [SQLExpression]
    private let functions: [GroupPlan.Function]
    private let sources: [Source]
    /// Whether there is one key, and it is a whole number.
    private let hasIntegerKey: Bool
    private var groupOfInteger: [Int64: Int] = [:]
    private var groupOfKeys: [TupleKey: Int] = [:]
    private var found: [[Value]] = []
    private var tallies: [AggregateTally] = []

    /// A grouping of no rows yet, of results with the keys first, then the operands.
    init(_ plan: GroupPlan, _ keys: [SQLExpression], _ operands: [SQLExpression?]) {
        self.keys = keys
        functions = plan.aggregates.map(\.function)
        hasIntegerKey = keys.count == 1 && keys[0].isColumn && (keys[0].kind == .integer || keys[0].kind == .reference)
        var column = Int32(truncatingIfNeeded: keys.count)
        var sources: [Source] = []
        for (function, operand) in zip(functions, operands) {
            guard let operand else {
                sources.append(.objects)
                continue
            }
            switch function {
            case .countDistinct, .median, .standardDeviation: sources.append(.value(column, operand))
            case .count, .sum, .average, .min, .max:
                if operand.isColumn && operand.isInteger {
                    sources.append(.integer(column))
                } else if operand.isColumn && operand.isNumber {
                    sources.append(.double(column))
                } else {
                    sources.append(.value(column, operand))
                }
            }
            column += 1
        }
        self.sources = sources
        if keys.isEmpty { _ = add([]) }
    }

    /// Takes in the row that a statement is at.
    mutating func add(_ statement: Statement) throws {
        let first = try group(statement) * sources.count
        for (index, source) in sources.enumerated() {
            switch source {
            case .objects: tallies[first + index].addObject()
            case .integer(let column):
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { tallies[first + index].add(number) }
            case .double(let column):
                let type = statement.type(column)
                if type != SQLITE_NULL { tallies[first + index].add(type == SQLITE_TEXT ? .nan : statement.double(column)) }
            case .value(let column, let operand):
                tallies[first + index].add(try ColumnValue.read(statement, column, operand), for: functions[index])
            }
        }
    }

    /// The groups of all rows taken in, in no order.
    var groups: [Group] {
        found.indices.map { group in
            Group(keys: found[group], partials: sources.indices.map { tallies[group * sources.count + $0].partial(for: functions[$0]) })
        }
    }

    private mutating func group(_ statement: Statement) throws -> Int {
        if keys.isEmpty { return 0 }
        if hasIntegerKey {
            let number = statement.integer(0)
            if number != 0 || !statement.isNull(0) {
                if let known = groupOfInteger[number] { return known }
                let group = add([.int(number)])
                groupOfInteger[number] = group
                return group
            }
        }
        let values = try keys.enumerated().map { try ColumnValue.read(statement, Int32(truncatingIfNeeded: $0), $1) }
        let key = TupleKey(values)
        if let known = groupOfKeys[key] { return known }
        let group = add(values)
        groupOfKeys[key] = group
        return group
    }

    private mutating func add(_ values: [Value]) -> Int {
        let group = found.count
        found.append(values)
        for _ in sources { tallies.append(AggregateTally()) }
        return group
    }
}
