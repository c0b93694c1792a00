import StrataSQL

/// Comparisons with constants: null for null, except those for equality.
extension SQLiteDialect {
    /// `t0.ZAGE = ?`, `t0.ZNAME IS NULL`, `t0.ZAGE IN (?, ?)`, `(t0.ZAGE BETWEEN ? AND ?)`, `t0.ZBOSS = ?` and their like.
    static func condition(
        _ left: SQLExpression, _ op: QueryComparison.Operator, value: Value, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler
    ) -> Condition? {
        if left.kind == .reference { return object(left, op, value, compiler) }
        if value.isNull {
            switch op {
            case .equal: return null(left)
            case .notEqual: return null(left)?.negated
            default: return compiler.truth(false)
            }
        }
        if op == .isIn, case .string = value {
            // Whether the text is contained in the constant.
            return constant(value).flatMap { condition(left, op, other: $0, options: options, in: &compiler) }
        }
        if left.kind == .decimal, op != .isIn { return op.isTextual ? nil : decimal(left, op, value, compiler) }
        if op.isTextual || (left.isText && !options.isEmpty) {
            guard left.isText, let text = value.text else { return nil }
            return TextCondition.condition(left.sql, op, text, options)
        }
        switch op {
        case .isIn:
            guard case .list(let values) = value else { return nil }
            return list(left, values, compiler)
        case .between:
            guard case .list(let bounds) = value, bounds.count == 2 else { return nil }
            return between(left, bounds[0], bounds[1], compiler)
        default: return order(left, op, value, compiler)
        }
    }

    /// `t0.ZAGE = ?`, negated `t0.ZAGE IS NOT ?`; `t0.ZAGE < ?`.
    private static func order(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ compiler: ConditionCompiler
    ) -> Condition? {
        guard let binding = operand(value, for: left) else { return nil }
        // NaN is neither equal to, less than nor greater than any value.
        if binding.isNaN { return compiler.truth(op == .notEqual) }
        func bare(_ keywords: StaticString) -> SQLText { "\(left.sql)\(keywords)\(bind: binding)" }
        let isPlain = left.isColumn || left.numbers.isEmpty
        switch op {
        case .equal where isPlain: return Condition(bare(" = "), opposite: bare(" IS NOT "))
        case .equal: return Condition(guarded(bare(" = "), left.numbers))
        case .notEqual: return order(left, .equal, value, compiler)?.negated
        case .less, .lessOrEqual: return op.sqlOrder.map { Condition(left.isColumn ? bare($0) : guarded(bare($0), left.numbers)) }
        default: return op.sqlOrder.map { Condition(lowerBound(left, bare($0))) }
        }
    }

    /// Returns a lower bound that NaN does not satisfy, although it is stored as text, which is greater than all numbers:
    /// `(t0.ZRATE > ? AND t0.ZRATE <= 9e999)`.
    private static func lowerBound(_ left: SQLExpression, _ condition: SQLText) -> SQLText {
        guard left.isColumn else { return guarded(condition, left.numbers) }
        guard left.isFloating else { return condition }
        // A literal out of the range of floating-point numbers is infinity.
        return "(\(condition) AND \(left.sql) <= 9e999)"
    }

    /// `(t0.ZAGE BETWEEN ? AND ?)`.
    private static func between(_ left: SQLExpression, _ low: Value, _ high: Value, _ compiler: ConditionCompiler) -> Condition? {
        if low.isNull || high.isNull { return compiler.truth(false) }
        guard let least = operand(low, for: left), let most = operand(high, for: left) else { return nil }
        if least.isNaN || most.isNaN { return compiler.truth(false) }
        let sql: SQLText = "(\(left.sql) BETWEEN \(bind: least) AND \(bind: most))"
        return Condition(left.isColumn ? sql : guarded(sql, left.numbers))
    }

    /// `t0.ZAGE IN (?, ?)`, and with nil among the values `(t0.ZAGE IN (?, ?) OR t0.ZAGE IS NULL)`; see ``ValueList``.
    private static func list(_ left: SQLExpression, _ values: [Value], _ compiler: ConditionCompiler) -> Condition? {
        guard left.isColumn || left.numbers.isEmpty else { return nil }
        if left.kind == .decimal {
            return decimals(values).flatMap { membership(left, $0, admitsNull: values.contains { $0.isNull }, compiler) }
        }
        var bindings: [SQLBinding] = []
        bindings.reserveCapacity(values.count)
        for value in values where !value.isNull {
            guard let binding = operand(value, for: left) else { return nil }
            if !binding.isNaN { bindings.append(binding) }
        }
        return membership(left, bindings, admitsNull: values.contains { $0.isNull }, compiler)
    }

    private static func membership(
        _ left: SQLExpression, _ values: [SQLBinding], admitsNull: Bool, _ compiler: ConditionCompiler
    ) -> Condition? {
        if values.isEmpty { return admitsNull ? null(left) : compiler.truth(false) }
        let membership = Condition(ValueList.membership(of: left, values))
        return admitsNull ? compiler.any([membership, null(left)]) : membership
    }

    // MARK: - Objects

    /// `t0.ZBOSS = ?` or `t0.Z_PK IN (?, ?)`, by primary keys alone.
    private static func object(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ compiler: ConditionCompiler
    ) -> Condition? {
        guard let root = left.root else { return nil }
        let ids: [Value] = if case .list(let values) = value { values } else { [value] }
        var references: [SQLBinding] = []
        for id in ids {
            switch id {
            case .null: continue
            // No row of this table has an ID of another store, or a temporary one.
            case .objectID(let id):
                if id.storeID == compiler.storeID, id.entity.root == root { references.append(.integer(id.reference)) }
            default: return nil
            }
        }
        if let order = op.sqlOrder {
            return references.first.map { Condition("\(left.sql)\(order)\(bind: $0)") } ?? compiler.truth(false)
        }
        let found: Condition?
        if references.count == 1, let reference = references.first, !ids.contains(where: { $0.isNull }) {
            found = Condition("\(left.sql) = \(bind: reference)", opposite: "\(left.sql) IS NOT \(bind: reference)")
        } else {
            found = membership(left, references, admitsNull: ids.contains { $0.isNull }, compiler)
        }
        switch op {
        case .equal, .isIn: return found
        case .notEqual: return found?.negated
        default: return nil
        }
    }

    // MARK: - Parts

    /// Returns a constant to compare with a column's values.
    ///
    /// - Returns: `nil` where the order or equality of the column's contents is not that of the values:
    ///   tagged bytes, constants of another kind.
    private static func operand(_ value: Value, for column: SQLExpression) -> SQLBinding? {
        switch (column.kind, value) {
        case (.integer, .int), (.integer, .double), (.double, .int), (.double, .double), (.float, .int), (.float, .double),
            (.boolean, .bool), (.date, .date), (.string, .string), (.uri, .string), (.uri, .url), (.uuid, .uuid), (.binary, .data),
            (.transformable, .data):
            column.isExternal ? nil : SQLBinding(value)
        default: nil
        }
    }

    /// Returns the condition that the value is nil; `nil` where a null may represent NaN.
    private static func null(_ left: SQLExpression) -> Condition? {
        if left.mayHideNaN { return nil }
        func isNull(_ value: SQLText) -> SQLText { "\(value) IS NULL" }
        if left.isColumn || left.numbers.isEmpty { return Condition(isNull(left.sql), opposite: "\(left.sql) IS NOT NULL") }
        // A function of NaN is NaN, for which SQL returns null.
        let ofNumbers = guarded(isNull(left.sql), left.numbers)
        // Nil and NaN give nil.
        return Condition(left.mayHideNil ? "(\([ofNumbers] + left.nullable.map(isNull), separator: " OR "))" : ofNumbers)
    }
}
