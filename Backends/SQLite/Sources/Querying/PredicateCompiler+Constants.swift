import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Comparisons with constants.
extension PredicateCompiler {
    /// Emits `t0.ZAGE = ?`, `t0.ZNAME IS NULL`, `t0.ZAGE IN (?, ?)`, `(t0.ZAGE BETWEEN ? AND ?)`, `t0.ZBOSS = ?` and their like.
    func compare(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ options: QueryComparison.Options, _ negated: Bool
    ) -> SQLText? {
        if left.kind == .reference { return object(left, op, value, negated) }
        if value.isNull {
            switch op {
            case .equal: return null(left, negated)
            case .notEqual: return null(left, !negated)
            default: return truth(negated)
            }
        }
        if op.isTextual || (left.isText && !options.isEmpty) {
            guard left.isText, let text = value.text else { return nil }
            return TextCondition(left.sql, op, text, options).sql(negated)
        }
        switch op {
        case .isIn:
            guard case .list(let values) = value else { return nil }
            return list(left, values, negated)
        case .between:
            guard case .list(let bounds) = value, bounds.count == 2 else { return nil }
            return between(left, bounds[0], bounds[1], negated)
        default: return order(left, op, value, negated)
        }
    }

    /// `t0.ZAGE = ?`, negated `t0.ZAGE IS NOT ?`; `t0.ZAGE < ?`, negated `NOT IFNULL(t0.ZAGE < ?, 0)`.
    private func order(_ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ negated: Bool) -> SQLText? {
        guard let operand = Operand(value, for: left) else { return nil }
        guard case .binding(let binding) = operand else {
            // Nothing equals, precedes or follows what is no number.
            return truth((op == .notEqual) != negated)
        }
        func bare(_ keywords: StaticString) -> SQLText {
            var sql = left.sql
            sql.add(keywords)
            sql.bind(binding)
            return sql
        }
        func bounded(_ condition: SQLText) -> SQLText { left.isColumn ? belowText(left, condition) : guarded(condition, left.numbers) }
        let isPlain = left.isColumn || left.numbers.isEmpty
        switch op {
        case .equal where isPlain: return bare(negated ? " IS NOT " : " = ")
        case .notEqual where isPlain: return bare(negated ? " = " : " IS NOT ")
        case .equal: return settled(guarded(bare(" = "), left.numbers), negated)
        case .notEqual: return settled(guarded(bare(" = "), left.numbers), !negated)
        case .less: return settled(left.isColumn ? bare(" < ") : bounded(bare(" < ")), negated)
        case .lessOrEqual: return settled(left.isColumn ? bare(" <= ") : bounded(bare(" <= ")), negated)
        case .greater: return settled(bounded(bare(" > ")), negated)
        case .greaterOrEqual: return settled(bounded(bare(" >= ")), negated)
        default: return nil
        }
    }

    /// A lower bound that what is no number does not meet, although it is kept as text, which follows all numbers:
    /// `(t0.ZRATE > ? AND t0.ZRATE <= 9e999)`.
    private func belowText(_ left: SQLExpression, _ condition: SQLText) -> SQLText {
        guard left.isFloating else { return condition }
        var sql = SQLText("(")
        sql.add(condition)
        sql.add(" AND ")
        left.add(to: &sql)
        // A literal too great for a floating-point number is infinity.
        sql.add(" <= 9e999)")
        return sql
    }

    /// `(t0.ZAGE BETWEEN ? AND ?)`.
    private func between(_ left: SQLExpression, _ low: Value, _ high: Value, _ negated: Bool) -> SQLText? {
        if low.isNull || high.isNull { return truth(negated) }
        guard let low = Operand(low, for: left), let high = Operand(high, for: left) else { return nil }
        guard case .binding(let least) = low, case .binding(let most) = high else { return truth(negated) }
        var sql = SQLText("(")
        left.add(to: &sql)
        sql.add(" BETWEEN ")
        sql.bind(least)
        sql.add(" AND ")
        sql.bind(most)
        sql.add(")")
        return settled(left.isColumn ? sql : guarded(sql, left.numbers), negated)
    }

    /// `t0.ZAGE IN (?, ?)`, and with nil among the values `(t0.ZAGE IN (?, ?) OR t0.ZAGE IS NULL)`; see ``ValueList``.
    private func list(_ left: SQLExpression, _ values: [Value], _ negated: Bool) -> SQLText? {
        guard left.isColumn || left.numbers.isEmpty else { return nil }
        var bindings: [SQLBinding] = []
        bindings.reserveCapacity(values.count)
        for value in values where !value.isNull {
            guard let operand = Operand(value, for: left) else { return nil }
            if case .binding(let binding) = operand { bindings.append(binding) }
        }
        return membership(left, bindings, admitsNull: values.contains { $0.isNull }, negated)
    }

    private func membership(_ left: SQLExpression, _ values: [SQLBinding], admitsNull: Bool, _ negated: Bool) -> SQLText? {
        if values.isEmpty { return admitsNull ? null(left, negated) : truth(negated) }
        let sql = ValueList.membership(of: left, values)
        guard admitsNull else { return settled(sql, negated) }
        guard let isNull = null(left, negated) else { return nil }
        var either = SQLText(negated ? "(NOT IFNULL(" : "(")
        either.add(sql)
        either.add(negated ? ", 0) AND " : " OR ")
        either.add(isNull)
        either.add(")")
        return either
    }

    // MARK: - Objects

    /// `t0.ZBOSS = ?` or `t0.Z_PK IN (?, ?)`, by the references alone.
    private func object(_ left: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, _ negated: Bool) -> SQLText? {
        guard let root = left.root else { return nil }
        let ids: [Value] = if case .list(let values) = value { values } else { [value] }
        var references: [SQLBinding] = []
        for id in ids {
            switch id {
            case .null: continue
            // No row of this tree in this store is named by an ID of another one, or by a temporary one.
            case .objectID(let id):
                if id.storeID == storeID, id.entity.root == root { references.append(.integer(id.reference)) }
            default: return nil
            }
        }
        let admitsNull = ids.contains { $0.isNull }
        let isEqual: Bool
        switch op {
        case .equal, .isIn: isEqual = !negated
        case .notEqual: isEqual = negated
        default: return nil
        }
        guard references.count == 1, !admitsNull, let reference = references.first else {
            return membership(left, references, admitsNull: admitsNull, !isEqual)
        }
        var sql = left.sql
        sql.add(isEqual ? " = " : " IS NOT ")
        sql.bind(reference)
        return sql
    }

    // MARK: - Parts

    /// Whether there is no value; `nil` where a null may be a number that is none.
    func null(_ left: SQLExpression, _ negated: Bool) -> SQLText? {
        if left.mayHideNaN { return nil }
        if !left.isColumn && !left.numbers.isEmpty {
            // A function of what is no number is no number either, of which SQL makes a null.
            var sql = left.sql
            sql.add(" IS NULL")
            let isNull = guarded(sql, left.numbers)
            guard left.mayHideNil else { return settled(isNull, negated) }
            // Nil and what is no number make nil.
            let ofNil = left.nullable.map { source in
                var sql = source
                sql.add(" IS NULL")
                return sql
            }
            return settled(PredicateCompiler.join(([isNull] + ofNil)[...], " OR "), negated)
        }
        var sql = left.sql
        sql.add(negated ? " IS NOT NULL" : " IS NULL")
        return sql
    }
}
