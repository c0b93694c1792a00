import StrataSQL

/// Functions that the server computes as the core does.
///
/// Where the core goes on with another type of number, or with nil, the server fails: the core evaluates the statement then.
extension PostgreSQLDialect {
    static func call(
        _ function: QueryFunction, _ arguments: [ResolvedExpression], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        switch (function, arguments.count) {
        case (.noIndex, 1), (.indexedBy, 2): return compiler.expression(arguments[0])
        case (.now, 0): return constant(.date(Date()))
        case (.leftShift, 2), (.rightShift, 2): return shifted(arguments[0], function, arguments[1], in: &compiler)
        case (.add, 2...8), (.subtract, 2...8), (.multiply, 2...8), (.divide, 2...8), (.modulus, 2): break
        default:
            if let part = function.datePart { return datePart(part, arguments, in: &compiler) }
            guard arguments.count <= 2 else { return nil }
        }
        guard let linked = compiler.operands(arguments, of: function), let first = linked.first?.operand, compiler.admitFailure() else {
            return nil
        }
        let operands = linked.map(\.operand)
        switch function {
        case .add, .subtract, .multiply, .divide, .modulus:
            var result: SQLExpression? = first
            for (joining, operand) in linked.dropFirst() { result = result.flatMap { arithmetic(joining, $0, operand) } }
            return result
        case .bitwiseAnd: return bitwise(operands, " & ")
        case .bitwiseOr: return bitwise(operands, " | ")
        case .bitwiseXor: return bitwise(operands, " # ")
        case .onesComplement: return first.isInteger ? SQLExpression("(~\(first.sql))", kind: .integer) : nil
        case .negate: return first.isNumber ? SQLExpression("(0 - \(first.sql))", kind: first.kind) : nil
        case .abs: return first.isNumber ? SQLExpression("abs(\(first.sql))", kind: first.kind) : nil
        case .floor: return rounded("floor(", first)
        case .ceiling: return rounded("ceil(", first)
        case .trunc: return rounded("trunc(", first)
        case .squareRoot: return first.isNumber ? SQLExpression("sqrt(\(first.asFloating.sql))", kind: .double) : nil
        case .length: return first.kind == .string ? SQLExpression("char_length(\(first.sql))::bigint", kind: .integer) : nil
        default: return nil
        }
    }

    private static func rounded(_ start: StaticString, _ operand: SQLExpression) -> SQLExpression? {
        operand.isInteger ? operand : operand.isFloating ? SQLExpression("\(start)\(operand.sql))", kind: .double) : nil
    }

    private static func bitwise(_ operands: [SQLExpression], _ operation: StaticString) -> SQLExpression? {
        guard operands.count == 2, operands.allSatisfy(\.isInteger) else { return nil }
        return SQLExpression("(\(operands[0].sql)\(operation)\(operands[1].sql))", kind: .integer)
    }

    /// `(t0."flags" << 3)`; the server and the core differ for counts outside of 0..<64.
    private static func shifted(
        _ value: ResolvedExpression, _ function: QueryFunction, _ count: ResolvedExpression, in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard case .constant(.int(let count)) = count, (0..<64).contains(count), let value = compiler.expression(value), value.isInteger
        else { return nil }
        let sql = SQLText("(\(value.sql)\(function == .leftShift ? " << " : " >> ")\(number: count))")
        return SQLExpression(sql, kind: .integer)
    }

    /// `(t0."age" + $1)`, `(t0."age" / NULLIF(t0."count", 0))`: the statement fails where integers or floating-point numbers overflow.
    private static func arithmetic(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        if a.kind == .date || b.kind == .date { return dated(function, a, b) }
        guard a.isNumber, b.isNumber else { return nil }
        let kind: SlotKind = a.isInteger && b.isInteger ? .integer : .double
        let (x, y) = kind == .integer ? (a, b) : (a.asFloating, b.asFloating)
        switch function {
        case .add: return SQLExpression("(\(x.sql) + \(y.sql))", kind: kind)
        case .subtract: return SQLExpression("(\(x.sql) - \(y.sql))", kind: kind)
        case .multiply: return SQLExpression("(\(x.sql) * \(y.sql))", kind: kind)
        // In the core, division by zero gives NaN for NaN, and nil for any other number: the statement fails for NaN.
        case .divide: return SQLExpression("(\(x.withoutNaN.sql) / NULLIF(\(y.sql), 0))", kind: kind)
        case .modulus where kind == .integer: return SQLExpression("(\(x.sql) % NULLIF(\(y.sql), 0))", kind: kind)
        default: return nil
        }
    }

    private static func dated(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        switch function {
        case .subtract where a.kind == .date && b.kind == .date: SQLExpression("(\(a.sql) - \(b.sql))", kind: .double)
        case .subtract where a.kind == .date && b.isNumber: SQLExpression("(\(a.sql) - \(b.asFloating.sql))", kind: .date)
        case .add where a.isNumber || b.isNumber: SQLExpression("(\(a.asFloating.sql) + \(b.asFloating.sql))", kind: .date)
        default: nil
        }
    }
}
