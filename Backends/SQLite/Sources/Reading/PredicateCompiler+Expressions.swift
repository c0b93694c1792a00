import FoundationEssentials
import StrataModel
import StrataQuery

/// Expressions that SQL computes as the core does.
extension PredicateCompiler {
    mutating func expression(_ expression: ResolvedExpression) -> SQLExpression? {
        switch expression {
        case .constant(let value): PredicateCompiler.constant(value)
        case .path(let path): scopes.column(at: path)
        case .aggregate(let function, let collection, let value): aggregate(function, collection, of: value)
        case .function(let function, let arguments): call(function, arguments)
        case .conditional(let condition, let a, let b): conditional(condition, a, b)
        case .entityName, .element, .values, .custom, .list, .combined, .column: nil
        }
    }

    private static func constant(_ value: Value) -> SQLExpression? {
        var sql = SQLText()
        let kind: SlotKind
        switch value {
        case .int(let number):
            sql.bind(.integer(number))
            kind = .integer
        case .double(let number) where number.isFinite:
            sql.bind(.double(number))
            kind = .double
        case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
            sql.bind(.double(date.timeIntervalSinceReferenceDate))
            kind = .date
        case .bool(let flag):
            sql.bind(.integer(flag ? 1 : 0))
            kind = .boolean
        case .string(let text):
            sql.bind(.text(text))
            kind = .string
        default: return nil
        }
        var parameter = SQLExpression(sql, kind: kind)
        parameter.isParameter = true
        return parameter
    }

    private mutating func conditional(
        _ condition: ResolvedPredicate, _ a: ResolvedExpression, _ b: ResolvedExpression
    ) -> SQLExpression? {
        guard let condition = self.condition(condition, false), let a = expression(a), let b = expression(b), a.kind == b.kind,
            a.numbers.isEmpty, b.numbers.isEmpty, !a.isExternal, !b.isExternal
        else { return nil }
        var sql = SQLText("(CASE WHEN ")
        sql.add(condition)
        sql.add(" THEN ")
        a.add(to: &sql)
        sql.add(" ELSE ")
        b.add(to: &sql)
        sql.add(" END)")
        var result = SQLExpression(sql, kind: a.kind)
        result.mayHideNaN = a.mayHideNaN || b.mayHideNaN
        return result
    }

    // MARK: - Functions

    private mutating func call(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> SQLExpression? {
        switch function {
        case .noIndex: return arguments.count == 1 ? withoutIndex(arguments[0]) : nil
        case .indexedBy: return arguments.first.flatMap { expression($0) }
        default: break
        }
        var operands: [SQLExpression] = []
        for argument in arguments {
            guard let operand = expression(argument) else { return nil }
            operands.append(operand)
        }
        switch (function, operands.count) {
        case (.add, 2), (.subtract, 2), (.multiply, 2), (.divide, 2), (.modulus, 2): return arithmetic(function, operands[0], operands[1])
        case (.negate, 1) where operands[0].isNumber:
            return operation("(0 - ", [operands[0]], "", operands[0].isInteger ? .integer : .double)
        case (.abs, 1) where operands[0].isNumber: return magnitude(operands[0])
        case (.bitwiseAnd, 2) where operands.allSatisfy(\.isInteger) && operands.allSatisfy(\.isColumnOrParameter):
            return operation("(", operands, " & ", .integer)
        case (.bitwiseOr, 2) where operands.allSatisfy(\.isInteger) && operands.allSatisfy(\.isColumnOrParameter):
            return operation("(", operands, " | ", .integer)
        case (.onesComplement, 1) where operands[0].isInteger && operands[0].isColumnOrParameter:
            return operation("(~", [operands[0]], "", .integer)
        default: return SQLFunctions.call(function, operands)
        }
    }

    /// The value where no index finds it.
    private mutating func withoutIndex(_ argument: ResolvedExpression) -> SQLExpression? {
        guard let operand = expression(argument), operand.isColumn else { return nil }
        var sql = SQLText("+")
        sql.add(operand.sql)
        var result = operand
        result.hideFromIndexes(as: sql)
        return result
    }

    private func arithmetic(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        guard a.isNumber && b.isNumber else { return nil }
        let areIntegers = a.isInteger && b.isInteger
        let kind: SlotKind = areIntegers ? .integer : .double
        switch function {
        case .add: return operation("(", [a, b], " + ", kind)
        case .subtract: return operation("(", [a, b], " - ", kind)
        case .multiply: return operation("(", [a, b], " * ", kind)
        // What left the range of integers before is a floating-point number, which SQL divides so, and of which it takes no remainder.
        case .divide where !areIntegers || a.isColumnOrParameter && b.isColumnOrParameter: return operation("(", [a, b], " / ", kind)
        case .modulus where areIntegers && a.isColumnOrParameter && b.isColumnOrParameter: return operation("(", [a, b], " % ", kind)
        default: return nil
        }
    }

    private func operation(
        _ start: StaticString, _ operands: [SQLExpression], _ separator: StaticString, _ kind: SlotKind
    ) -> SQLExpression? {
        if operands.contains(where: { $0.isExternal }) { return nil }
        var sql = SQLText(start)
        sql.add(operands, separator: separator) { $1.add(to: &$0) }
        sql.add(")")
        var result = SQLExpression(sql, kind: kind)
        result.guarded = operands.flatMap(\.numbers)
        // Infinities add up and multiply to what is no number, which SQL has no value for.
        result.mayHideNaN = kind == .double || operands.contains { $0.mayHideNaN }
        return result
    }

    private func magnitude(_ operand: SQLExpression) -> SQLExpression? {
        var sql = SQLText("(CASE WHEN ")
        operand.add(to: &sql)
        // `abs` fails for the least integer.
        sql.add(" < 0 THEN 0 - ")
        operand.add(to: &sql)
        sql.add(" ELSE ")
        operand.add(to: &sql)
        sql.add(" END)")
        var result = SQLExpression(sql, kind: operand.kind)
        result.guarded = operand.numbers
        result.mayHideNaN = operand.mayHideNaN
        return result
    }
}
