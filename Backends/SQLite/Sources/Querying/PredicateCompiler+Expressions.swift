import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Expressions that SQL computes as the core does.
extension PredicateCompiler {
    /// `?`, `t0.ZAGE`, `(t0.ZAGE + ?)`, `(CASE WHEN t0.ZAGE > ? THEN t0.ZAGE ELSE t1.ZAGE END)`, an aggregate in a subquery, or one of
    /// ``CoreFunctions``.
    mutating func expression(_ expression: ResolvedExpression) -> SQLExpression? {
        switch expression {
        case .constant(let value): PredicateCompiler.constant(value)
        case .path(let path): scopes.column(at: path)
        case .aggregate(let function, let collection, let value): aggregate(function, collection, of: value)
        case .function(let function, let arguments): call(function, arguments)
        case .conditional(let condition, let a, let b): conditional(condition, a, b)
        case .entityName(let path, let names): entityName(path, names)
        case .element, .values, .custom, .list, .combined, .column: nil
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
            a.root == b.root, a.numbers.isEmpty, b.numbers.isEmpty, !a.isExternal, !b.isExternal
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
        result.root = a.root
        return result
    }

    // MARK: - Functions

    private mutating func call(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> SQLExpression? {
        switch function {
        case .noIndex: return arguments.count == 1 ? withoutIndex(arguments[0]) : nil
        case .indexedBy: return arguments.first.flatMap { expression($0) }
        default: break
        }
        if function == .cast { return arguments.count == 2 ? cast(arguments[0], to: arguments[1].constant) : nil }
        var operands: [SQLExpression] = []
        var links: [QueryFunction] = []
        for argument in arguments {
            let (joining, part) = argument.link(in: function)
            guard let operand = expression(part) else { return nil }
            operands.append(operand)
            links.append(joining)
        }
        switch (function, operands.count) {
        case (.add, 2), (.subtract, 2), (.multiply, 2), (.divide, 2), (.modulus, 2): return arithmetic(function, operands[0], operands[1])
        case (.negate, 1) where operands[0].isNumber:
            return operation("(0 - ", [operands[0]], "", operands[0].isInteger ? .integer : .double)
        case (.abs, 1) where operands[0].isNumber: return magnitude(operands[0])
        case (.bitwiseAnd, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " & ", .integer)
        case (.bitwiseOr, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " | ", .integer)
        case (.leftShift, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " << ", .integer)
        case (.rightShift, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " >> ", .integer)
        case (.onesComplement, 1) where operands[0].isCertainlyInteger: return operation("(~", operands, "", .integer)
        case (.now, 0): return PredicateCompiler.constant(.date(Date()))
        // Not of any number, as SQLite limits how deep expressions are nested.
        case (.add, 3...32), (.subtract, 3...32), (.multiply, 3...32), (.divide, 3...32):
            var result: SQLExpression? = operands[0]
            for (joining, operand) in zip(links, operands).dropFirst() { result = result.flatMap { arithmetic(joining, $0, operand) } }
            return result
        default: return CoreFunctions.call(function, operands)
        }
    }

    /// The value where no index finds it: `+t0.ZAGE`.
    private mutating func withoutIndex(_ argument: ResolvedExpression) -> SQLExpression? {
        guard let operand = expression(argument), operand.isColumn else { return nil }
        var sql = SQLText("+")
        sql.add(operand.sql)
        var result = operand
        result.hideFromIndexes(as: sql)
        return result
    }

    /// `(t0.ZAGE + ?)`; SQL's integers go over into floating-point numbers as the core's do.
    private func arithmetic(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        let isDated = a.kind == .date || b.kind == .date
        guard isDated || (a.isNumber && b.isNumber) else { return nil }
        let kind: SlotKind = a.isInteger && b.isInteger ? .integer : .double
        switch function {
        case .subtract where a.kind == .date && b.kind == .date: return dated(operation("(", [a, b], " - ", .double))
        case .subtract where a.kind == .date && b.isNumber: return dated(operation("(", [a, b], " - ", .date))
        case .add where isDated && (a.isNumber || b.isNumber): return dated(operation("(", [a, b], " + ", .date))
        case .add where !isDated: return operation("(", [a, b], " + ", kind)
        case .subtract where !isDated: return operation("(", [a, b], " - ", kind)
        case .multiply where !isDated: return operation("(", [a, b], " * ", kind)
        case .divide where !isDated: return operation("(", [a, b], " / ", kind)
        // What was computed may have left the range of integers, and SQL takes remainders of no others.
        case .modulus where a.isCertainlyInteger && b.isCertainlyInteger: return operation("(", [a, b], " % ", kind)
        default: return nil
        }
    }

    /// Points in time that are infinitely far apart: of these the core has a difference that is no number, and SQL none.
    private func dated(_ result: SQLExpression?) -> SQLExpression? {
        var result = result
        result?.mayHideNaN = true
        return result
    }

    private func operation(
        _ start: StaticString, _ operands: [SQLExpression], _ separator: StaticString, _ kind: SlotKind
    ) -> SQLExpression? {
        if operands.contains(where: { $0.isExternal }) { return nil }
        var sql = SQLText(start)
        sql.add(operands, separator: separator) { $1.add(to: &$0) }
        sql.add(")")
        var result = SQLExpression(sql, kind: kind)
        result.derive(from: operands)
        return result
    }

    private mutating func cast(_ argument: ResolvedExpression, to type: Value?) -> SQLExpression? {
        guard case .string(let name)? = type, let operand = expression(argument) else { return nil }
        return CoreFunctions.cast(operand, to: name)
    }

    /// `(CASE WHEN t0.ZAGE < 0 THEN 0 - t0.ZAGE ELSE t0.ZAGE END)`.
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
        result.derive(from: [operand])
        return result
    }
}
