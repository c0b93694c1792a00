import StrataSQL

/// Comparisons of decimals, in the stored forms of ``DecimalColumn``.
///
/// SQLite orders the numbers among them exactly; a decimal with more digits is a blob, which SQLite would order after all numbers, and is
/// compared by a function.
extension SQLiteDialect {
    /// `t0.ZPRICE = ?`, `(t0.ZPRICE < ? OR (t0.ZPRICE >= x'' AND strata_compare(t0.ZPRICE, ?) < 0))`; both sides serve an index.
    static func decimal(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ compiler: ConditionCompiler
    ) -> Condition? {
        switch (op, value) {
        case (.between, .list(let bounds)):
            guard bounds.count == 2, !bounds.contains(where: \.isNull) else { return compiler.truth(false) }
            return compiler.all([
                decimal(left, .greaterOrEqual, bounds[0], compiler), decimal(left, .lessOrEqual, bounds[1], compiler),
            ])
        case (.notEqual, _): return decimal(left, .equal, value, compiler)?.negated
        default: break
        }
        guard let number = DecimalNumber(value), let binding = DecimalColumn.binding(value) else { return nil }
        if number.isNaN { return compiler.truth(false) }
        if op == .equal { return equality(left, binding, number) }
        guard let order = op.sqlOrder else { return nil }
        let byDigits: SQLText = "strata_compare(\(left.sql), \(bind: binding))\(order)0"
        if case .blob = binding { return Condition(byDigits) }
        guard left.isColumn else { return Condition(byDigits) }
        // A literal out of the range of floating-point numbers is infinity.
        let isBelow = op == .less || op == .lessOrEqual
        let ofNumbers: SQLText = "\(left.sql)\(order)\(bind: binding)"
        let bounded: SQLText = isBelow ? ofNumbers : "(\(ofNumbers) AND \(left.sql) <= 9e999)"
        return Condition("(\(bounded) OR (\(left.sql) >= x'' AND \(byDigits)))")
    }

    private static func equality(_ left: SQLExpression, _ binding: SQLBinding, _ number: DecimalNumber) -> Condition {
        // Another program may have stored a number that converts to these digits.
        if case .blob(let text) = binding, let near = Double(String(decoding: text, as: UTF8.self)) {
            let found = ValueList.membership(of: left, [binding, .double(near)])
            return Condition("(\(found) AND strata_compare(\(left.sql), \(bind: binding)) = 0)")
        }
        return Condition("\(left.sql) = \(bind: binding)", opposite: "\(left.sql) IS NOT \(bind: binding)")
    }

    /// The values of a list of decimals as parameters; `nil` where one is no decimal.
    static func decimals(_ values: [Value]) -> [SQLBinding]? {
        var bindings: [SQLBinding] = []
        for value in values where !value.isNull {
            guard let number = DecimalNumber(value), let binding = DecimalColumn.binding(value) else { return nil }
            if !number.isNaN { bindings.append(binding) }
        }
        return bindings
    }

    /// Compares two expressions, of which one has decimals: `strata_compare(t0.ZPRICE, t0.ZCOST) < 0`, and for equality `(t0.ZPRICE IS t0.ZCOST
    /// AND typeof(t0.ZPRICE) <> 'text')`, as NaN does not equal itself.
    static func decimals(_ left: SQLExpression, _ op: QueryComparison.Operator, _ right: SQLExpression) -> Condition? {
        guard [left, right].allSatisfy({ $0.kind == .decimal || $0.isInteger && $0.isColumn }) else { return nil }
        switch op {
        case .equal: return Condition("(\(left.sql) IS \(right.sql) AND typeof(\(left.sql)) <> 'text')")
        case .notEqual: return decimals(left, .equal, right)?.negated
        default: return op.sqlOrder.map { Condition("strata_compare(\(left.sql), \(right.sql))\($0)0") }
        }
    }
}
