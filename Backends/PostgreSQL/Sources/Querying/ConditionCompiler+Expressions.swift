import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Expressions that the server computes as the core does.
///
/// Where the core goes on with another kind of number, or with nil, the server fails: the statement is then left to the core.
extension ConditionCompiler {
    /// `$1`, `t0."age"`, `(t0."age" + $1)`, `(CASE WHEN … THEN … ELSE … END)`, an aggregate in a subquery; `nil` where only the core computes it.
    mutating func expression(_ expression: ResolvedExpression) -> SQLExpression? {
        switch expression {
        case .constant(let value): return .constant(value)
        case .path(let path): return value(at: path)
        case .conditional(let condition, let a, let b): return conditional(condition, a, b)
        case .function(let function, let arguments): return call(function, arguments)
        case .aggregate(let function, let collection, let value): return aggregate(function, collection, of: value)
        case .column(let place): return columns.indices.contains(place) ? columns[place] : nil
        default: return nil
        }
    }

    /// `t0."age"`, or `(SELECT t1."age" FROM "s"."person" t1 WHERE t1."_id" = t0."boss_id")`.
    mutating func value(at path: PropertyPath) -> SQLExpression? {
        guard var place = scope.places[path.variable] else { return nil }
        var sql = SQLText()
        var start = SQLText()
        for (number, step) in path.steps.enumerated() {
            guard let next = scope.destination(step) else { return nil }
            var relation = SQLText()
            QueryScope.relate(next.alias, EntityTable.id, place.alias, place.column(step.slot).name, in: &relation)
            // The first is related to the object outside, the others to each other.
            sql.add(number == 0 ? " FROM " : " JOIN ")
            next.add(to: &sql)
            if number == 0 {
                start = relation
            } else {
                sql.add(" ON ")
                sql.add(relation)
            }
            place = next
        }
        guard let (column, kind) = ConditionCompiler.column(path, place) else { return nil }
        var text = SQLText()
        if path.steps.isEmpty {
            text.add(column: column, of: place.alias)
        } else {
            text.add("(SELECT ")
            text.add(column: column, of: place.alias)
            text.add(sql)
            text.add(" WHERE ")
            text.add(start)
            text.add(")")
        }
        var expression = SQLExpression(text, kind: kind)
        expression.isColumn = true
        expression.root = path.objectEntity?.root
        return expression
    }

    /// The column that a path ends in, where its values are compared as those of the core.
    private static func column(_ path: PropertyPath, _ place: QueryScope.Place) -> (name: String, kind: SlotKind)? {
        guard let slot = path.leafSlot else { return (EntityTable.id, .reference) }
        switch path.leafKind {
        case .integer, .boolean, .double, .float, .date, .string, .uri, .uuid, .binary, .reference:
            return (place.column(slot).name, path.leafKind)
        case .decimal, .transformable, .entity, .order: return nil
        }
    }

    private mutating func conditional(
        _ test: ResolvedPredicate, _ a: ResolvedExpression, _ b: ResolvedExpression
    ) -> SQLExpression? {
        guard let test = condition(test), test.isExact, let a = expression(a), let b = expression(b), a.kind == b.kind, a.root == b.root
        else { return nil }
        var sql = SQLText("(CASE WHEN ")
        sql.add(test.sql)
        sql.add(" THEN ")
        sql.add(a.sql)
        sql.add(" ELSE ")
        sql.add(b.sql)
        sql.add(" END)")
        var result = SQLExpression(sql, kind: a.kind)
        result.root = a.root
        return result
    }

    // MARK: - Functions

    private mutating func call(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> SQLExpression? {
        switch (function, arguments.count) {
        case (.noIndex, 1), (.indexedBy, 2): return expression(arguments[0])
        case (.now, 0): return .constant(.date(Date()))
        case (.leftShift, 2), (.rightShift, 2): return shifted(arguments[0], function, arguments[1])
        case (.add, 2...8), (.subtract, 2...8), (.multiply, 2...8), (.divide, 2...8), (.modulus, 2): break
        default:
            guard arguments.count <= 2 else { return nil }
        }
        var operands: [SQLExpression] = []
        var links: [QueryFunction] = []
        for argument in arguments {
            let (joining, part) = argument.link(in: function)
            guard let operand = expression(part) else { return nil }
            operands.append(operand)
            links.append(joining)
        }
        guard let first = operands.first, admitFailure() else { return nil }
        switch function {
        case .add, .subtract, .multiply, .divide, .modulus:
            var result: SQLExpression? = first
            for (joining, operand) in zip(links, operands).dropFirst() { result = result.flatMap { arithmetic(joining, $0, operand) } }
            return result
        case .bitwiseAnd: return bitwise(operands, " & ")
        case .bitwiseOr: return bitwise(operands, " | ")
        case .bitwiseXor: return bitwise(operands, " # ")
        case .onesComplement: return first.isInteger ? ConditionCompiler.apply("(~", first, ")", .integer) : nil
        case .negate: return first.isNumber ? ConditionCompiler.apply("(0 - ", first, ")", first.kind) : nil
        case .abs: return first.isNumber ? ConditionCompiler.apply("abs(", first, ")", first.kind) : nil
        case .floor: return rounded("floor(", first)
        case .ceiling: return rounded("ceil(", first)
        case .trunc: return rounded("trunc(", first)
        case .squareRoot: return first.isNumber ? ConditionCompiler.apply("sqrt(", first.asFloating, ")", .double) : nil
        case .length: return first.kind == .string ? ConditionCompiler.apply("char_length(", first, ")::bigint", .integer) : nil
        default: return nil
        }
    }

    static func apply(
        _ start: StaticString, _ operand: SQLExpression, _ end: StaticString, _ kind: SlotKind
    ) -> SQLExpression { infix(start, operand, "", nil, end, kind) }

    static func infix(
        _ start: StaticString, _ a: SQLExpression, _ joining: StaticString, _ b: SQLExpression?, _ end: StaticString, _ kind: SlotKind
    ) -> SQLExpression {
        var sql = SQLText(start)
        sql.add(a.sql)
        sql.add(joining)
        if let b { sql.add(b.sql) }
        sql.add(end)
        return SQLExpression(sql, kind: kind)
    }

    private func rounded(_ start: StaticString, _ operand: SQLExpression) -> SQLExpression? {
        operand.isInteger ? operand : operand.isFloating ? ConditionCompiler.apply(start, operand, ")", .double) : nil
    }

    private func bitwise(_ operands: [SQLExpression], _ operation: StaticString) -> SQLExpression? {
        guard operands.count == 2, operands.allSatisfy(\.isInteger) else { return nil }
        return ConditionCompiler.infix("(", operands[0], operation, operands[1], ")", .integer)
    }

    /// `(t0."flags" << 3)`; by other numbers of places the server and the core do different things.
    private mutating func shifted(
        _ value: ResolvedExpression, _ function: QueryFunction, _ places: ResolvedExpression
    ) -> SQLExpression? {
        guard case .constant(.int(let places)) = places, (0..<64).contains(places), let value = expression(value), value.isInteger else {
            return nil
        }
        var sql = SQLText("(")
        sql.add(value.sql)
        sql.add(function == .leftShift ? " << " : " >> ")
        sql.add(number: places)
        sql.add(")")
        return SQLExpression(sql, kind: .integer)
    }

    /// `(t0."age" + $1)`, `(t0."age" / NULLIF(t0."count", 0))`: integers that leave their range make the statement fail, and so do
    /// floating-point numbers that leave theirs.
    private func arithmetic(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        if a.kind == .date || b.kind == .date { return dated(function, a, b) }
        guard a.isNumber, b.isNumber else { return nil }
        let kind: SlotKind = a.isInteger && b.isInteger ? .integer : .double
        let (x, y) = kind == .integer ? (a, b) : (a.asFloating, b.asFloating)
        switch function {
        case .add: return ConditionCompiler.infix("(", x, " + ", y, ")", kind)
        case .subtract: return ConditionCompiler.infix("(", x, " - ", y, ")", kind)
        case .multiply: return ConditionCompiler.infix("(", x, " * ", y, ")", kind)
        // Divided by zero, what is no number stays none, and any other is nil.
        case .divide: return ConditionCompiler.infix("(", x.withoutNaN, " / NULLIF(", y, ", 0))", kind)
        case .modulus where kind == .integer: return ConditionCompiler.infix("(", x, " % NULLIF(", y, ", 0))", kind)
        default: return nil
        }
    }

    private func dated(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        switch function {
        case .subtract where a.kind == .date && b.kind == .date: ConditionCompiler.infix("(", a, " - ", b, ")", .double)
        case .subtract where a.kind == .date && b.isNumber: ConditionCompiler.infix("(", a, " - ", b.asFloating, ")", .date)
        case .add where a.isNumber || b.isNumber: ConditionCompiler.infix("(", a.asFloating, " + ", b.asFloating, ")", .date)
        default: nil
        }
    }
}
