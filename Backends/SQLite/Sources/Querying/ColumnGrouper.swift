import CStrataSQLite
import StrataSQL

/// Groups the rows of a result by their keys.
struct ColumnGrouper {
    private enum Source {
        case objects
        case integer(Int32)
        case double(Int32)
        case decimal(Int32)
        case value(Int32, SQLExpression)
    }

    private let keys: [SQLExpression]
    private let sources: [Source]
    /// Whether there is a single key, an integer.
    private let hasIntegerKey: Bool
    private var table: GroupTable

    /// An empty grouping, for results with the keys first, then the operands.
    init(_ plan: GroupPlan, _ keys: [SQLExpression], _ operands: [SQLExpression?]) {
        self.keys = keys
        table = GroupTable(plan)
        hasIntegerKey = keys.count == 1 && (keys[0].isCertainlyInteger || keys[0].isColumn && keys[0].kind == .reference)
        var column = Int32(truncatingIfNeeded: keys.count)
        sources = zip(table.functions, operands).map { function, operand in
            guard let operand else { return .objects }
            defer { column += 1 }
            if operand.kind == .decimal, [.count, .sum, .average, .min, .max].contains(function) { return .decimal(column) }
            switch function {
            case .count where operand.isColumn, .sum where operand.isColumn, .average where operand.isColumn, .min where operand.isColumn,
                .max where operand.isColumn:
                return operand.isInteger ? .integer(column) : operand.isNumber ? .double(column) : .value(column, operand)
            default: return .value(column, operand)
            }
        }
    }

    /// Adds the current row of a statement.
    mutating func add(_ statement: Statement) throws {
        let first = try group(statement)
        for (index, source) in sources.enumerated() {
            switch source {
            case .objects: table.tallies[first + index].addObject()
            case .integer(let column):
                let number = statement.integer(column)
                if number != 0 || !statement.isNull(column) { table.tallies[first + index].add(number) }
            case .double(let column):
                let type = statement.type(column)
                if type != SQLITE_NULL { table.tallies[first + index].add(type == SQLITE_TEXT ? .nan : statement.double(column)) }
            case .decimal(let column):
                // Most are floating-point numbers, and are added as such.
                let isSum = table.functions[index] == .sum || table.functions[index] == .average
                if isSum, statement.type(column) == SQLITE_FLOAT, table.tallies[first + index].add(nearestTo: statement.double(column)) {
                    continue
                }
                if let number = DecimalColumn.number(statement, column) {
                    table.tallies[first + index].add(number, for: table.functions[index])
                }
            case .value(let column, let operand):
                table.tallies[first + index].add(try ColumnValue.read(statement, column, operand), for: table.functions[index])
            }
        }
    }

    /// The groups of all added rows, in no order.
    var groups: [Group] { table.groups }

    private mutating func group(_ statement: Statement) throws -> Int {
        if hasIntegerKey {
            let number = statement.integer(0)
            if number != 0 || !statement.isNull(0) { return table.group(ofInteger: number) }
        }
        return table.group(of: try keys.enumerated().map { try ColumnValue.read(statement, Int32(truncatingIfNeeded: $0), $1) })
    }
}
