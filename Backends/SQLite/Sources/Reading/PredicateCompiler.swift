import FoundationEssentials
import StrataModel
import StrataQuery

/// Turns conditions into SQL where SQL decides them exactly as the core does: nil equals nil, and nothing else is unknown.
///
/// A comparison with a null is null in SQL. Where nothing negates it that counts as false and the bare comparison serves, and with it an
/// index; negations are moved down to the comparisons, which then settle the null themselves.
struct PredicateCompiler {
    private(set) var joins: JoinSet
    private let storeUUID: String

    init(_ schema: StoreSchema, storeUUID: String) {
        joins = JoinSet(schema)
        self.storeUUID = storeUUID
    }

    /// The column at the end of a path; `nil` where the store has none.
    mutating func leaf(_ path: PropertyPath) -> JoinSet.Leaf? { joins.leaf(path) }

    /// The condition, or `nil` where only the core decides it.
    mutating func compile(_ predicate: ResolvedPredicate, negated: Bool = false) -> SQLText? {
        let before = joins
        let sql = condition(predicate, negated)
        if sql == nil { joins = before }
        return sql
    }

    private mutating func condition(_ predicate: ResolvedPredicate, _ negated: Bool) -> SQLText? {
        switch predicate {
        case .constant(let truth): return truth != negated ? SQLText("1") : SQLText("0")
        case .not(let part): return condition(part, !negated)
        case .and(let parts): return combine(parts, negated ? " OR " : " AND ", ifEmpty: !negated, negated)
        case .or(let parts): return combine(parts, negated ? " AND " : " OR ", ifEmpty: negated, negated)
        case .comparison(let comparison): return self.comparison(comparison, negated)
        case .test, .exists: return nil
        }
    }

    private mutating func combine(
        _ parts: [ResolvedPredicate], _ separator: StaticString, ifEmpty: Bool, _ negated: Bool
    ) -> SQLText? {
        if parts.isEmpty { return ifEmpty ? SQLText("1") : SQLText("0") }
        var compiled: [SQLText] = []
        for part in parts {
            guard let sql = condition(part, negated) else { return nil }
            compiled.append(sql)
        }
        return PredicateCompiler.join(compiled[...], separator)
    }

    /// Joins conditions as a balanced tree: SQLite limits the depth of expressions, and a chain is as deep as it is long.
    private static func join(_ conditions: ArraySlice<SQLText>, _ separator: StaticString) -> SQLText {
        if conditions.count == 1, let only = conditions.first { return only }
        var sql = SQLText("(")
        if conditions.count <= 16 {
            sql.add(conditions, separator: separator) { $0.add($1) }
        } else {
            let middle = (conditions.startIndex + conditions.endIndex) / 2
            sql.add(join(conditions[..<middle], separator))
            sql.add(separator)
            sql.add(join(conditions[middle...], separator))
        }
        sql.add(")")
        return sql
    }

    // MARK: - Comparisons

    private mutating func comparison(_ comparison: ResolvedComparison, _ negated: Bool) -> SQLText? {
        guard let leaf = joins.leaf(comparison.left) else { return nil }
        switch comparison.right {
        case .path(let path):
            guard let other = joins.leaf(path) else { return nil }
            return columns(leaf, comparison, other, negated)
        case .constant(let value):
            if leaf.kind == .reference { return object(leaf, comparison.operator, value, negated) }
            return constant(leaf, comparison, value, negated)
        }
    }

    private func constant(_ leaf: JoinSet.Leaf, _ comparison: ResolvedComparison, _ value: Value, _ negated: Bool) -> SQLText? {
        let op = comparison.operator
        if value.isNull {
            switch op {
            case .equal: return null(leaf, negated)
            case .notEqual: return null(leaf, !negated)
            default: return truth(negated)
            }
        }
        let isText = leaf.kind == .string || leaf.kind == .uri
        if op.isTextual || (isText && !comparison.options.isEmpty) {
            guard isText, case .string(let text) = PredicateCompiler.text(of: value) else { return nil }
            return TextCondition(leaf, op, text, comparison.options).sql(negated)
        }
        switch op {
        case .isIn:
            guard case .list(let values) = value else { return nil }
            return list(leaf, values, negated)
        case .between:
            guard case .list(let bounds) = value, bounds.count == 2 else { return nil }
            return between(leaf, bounds[0], bounds[1], negated)
        default: return compare(leaf, op, value, negated)
        }
    }

    private func compare(_ leaf: JoinSet.Leaf, _ op: QueryComparison.Operator, _ value: Value, _ negated: Bool) -> SQLText? {
        guard let operand = Operand(value, for: leaf) else { return nil }
        guard case .binding(let binding) = operand else {
            // Nothing equals, precedes or follows what is no number.
            return truth((op == .notEqual) != negated)
        }
        func bare(_ keywords: StaticString) -> SQLText {
            var sql = SQLText()
            leaf.add(to: &sql)
            sql.add(keywords)
            sql.bind(binding)
            return sql
        }
        switch op {
        case .equal: return bare(negated ? " IS NOT " : " = ")
        case .notEqual: return bare(negated ? " = " : " IS NOT ")
        case .less: return settled(bare(" < "), negated)
        case .lessOrEqual: return settled(bare(" <= "), negated)
        case .greater: return settled(belowText(leaf, bare(" > ")), negated)
        case .greaterOrEqual: return settled(belowText(leaf, bare(" >= ")), negated)
        default: return nil
        }
    }

    /// A lower bound that what is no number does not meet, although it is kept as text, which follows all numbers.
    private func belowText(_ leaf: JoinSet.Leaf, _ condition: SQLText) -> SQLText {
        guard leaf.kind == .double || leaf.kind == .float || leaf.kind == .date else { return condition }
        var sql = SQLText("(")
        sql.add(condition)
        sql.add(" AND ")
        leaf.add(to: &sql)
        sql.add(" <= ")
        sql.bind(.double(.infinity))
        sql.add(")")
        return sql
    }

    private func between(_ leaf: JoinSet.Leaf, _ low: Value, _ high: Value, _ negated: Bool) -> SQLText? {
        if low.isNull || high.isNull { return truth(negated) }
        guard let low = Operand(low, for: leaf), let high = Operand(high, for: leaf) else { return nil }
        guard case .binding(let least) = low, case .binding(let most) = high else { return truth(negated) }
        var sql = SQLText()
        leaf.add(to: &sql)
        sql.add(" BETWEEN ")
        sql.bind(least)
        sql.add(" AND ")
        sql.bind(most)
        var grouped = SQLText("(")
        grouped.add(sql)
        grouped.add(")")
        return settled(grouped, negated)
    }

    private func list(_ leaf: JoinSet.Leaf, _ values: [Value], _ negated: Bool) -> SQLText? {
        var bindings: [SQLBinding] = []
        bindings.reserveCapacity(values.count)
        for value in values where !value.isNull {
            guard let operand = Operand(value, for: leaf) else { return nil }
            if case .binding(let binding) = operand { bindings.append(binding) }
        }
        return membership(leaf, bindings, admitsNull: values.contains { $0.isNull }, negated)
    }

    private func membership(_ leaf: JoinSet.Leaf, _ values: [SQLBinding], admitsNull: Bool, _ negated: Bool) -> SQLText? {
        if values.isEmpty { return admitsNull ? null(leaf, negated) : truth(negated) }
        var sql = SQLText()
        leaf.add(to: &sql)
        sql.add(" IN (")
        if values.count <= ParameterList.capacity {
            ParameterList.add(values, to: &sql)
        } else {
            guard let numbers = PredicateCompiler.jsonNumbers(values) else { return nil }
            sql.add("SELECT value FROM json_each(")
            sql.bind(.text(numbers))
            sql.add(")")
        }
        sql.add(")")
        guard admitsNull else { return settled(sql, negated) }
        var either = SQLText(negated ? "(NOT IFNULL(" : "(")
        either.add(sql)
        either.add(negated ? ", 0) AND " : " OR ")
        either.add(null(leaf, negated))
        either.add(")")
        return either
    }

    private static func jsonNumbers(_ values: [SQLBinding]) -> String? {
        var text = "["
        for value in values {
            guard case .integer(let number) = value else { return nil }
            if text.utf8.count > 1 { text += "," }
            text += String(number)
        }
        return text + "]"
    }

    // MARK: - Objects

    private func object(_ leaf: JoinSet.Leaf, _ op: QueryComparison.Operator, _ value: Value, _ negated: Bool) -> SQLText? {
        let ids: [Value] = if case .list(let values) = value { values } else { [value] }
        var references: [SQLBinding] = []
        for id in ids {
            switch id {
            case .null: continue
            // No row of this store is named by an ID of another one, or by a temporary one.
            case .objectID(let id): if id.storeUUID == storeUUID { references.append(.integer(id.reference)) }
            default: return nil
            }
        }
        let admitsNull = ids.contains { $0.isNull }
        switch op {
        case .equal, .isIn:
            if references.count == 1, !admitsNull, let reference = references.first { return equality(leaf, reference, negated) }
            return membership(leaf, references, admitsNull: admitsNull, negated)
        case .notEqual:
            if references.count == 1, !admitsNull, let reference = references.first { return equality(leaf, reference, !negated) }
            return membership(leaf, references, admitsNull: admitsNull, !negated)
        default: return nil
        }
    }

    private func equality(_ leaf: JoinSet.Leaf, _ value: SQLBinding, _ negated: Bool) -> SQLText {
        var sql = SQLText()
        leaf.add(to: &sql)
        sql.add(negated ? " IS NOT " : " = ")
        sql.bind(value)
        return sql
    }

    // MARK: - Two columns

    private func columns(
        _ left: JoinSet.Leaf, _ comparison: ResolvedComparison, _ right: JoinSet.Leaf, _ negated: Bool
    ) -> SQLText? {
        let isText = left.kind == .string || left.kind == .uri
        guard left.kind == right.kind, !(isText && !comparison.options.isEmpty) else { return nil }
        switch left.kind {
        case .integer, .boolean, .string, .uri, .uuid, .reference: break
        // What is no number is text in the table, and equal to itself there.
        default: return nil
        }
        func bare(_ keywords: StaticString) -> SQLText {
            var sql = SQLText()
            left.add(to: &sql)
            sql.add(keywords)
            right.add(to: &sql)
            return sql
        }
        switch comparison.operator {
        case .equal: return bare(negated ? " IS NOT " : " IS ")
        case .notEqual: return bare(negated ? " IS " : " IS NOT ")
        case .less: return settled(bare(" < "), negated)
        case .lessOrEqual: return settled(bare(" <= "), negated)
        case .greater: return settled(bare(" > "), negated)
        case .greaterOrEqual: return settled(bare(" >= "), negated)
        default: return nil
        }
    }

    // MARK: - Parts

    private func truth(_ truth: Bool) -> SQLText { truth ? SQLText("1") : SQLText("0") }

    private func null(_ leaf: JoinSet.Leaf, _ negated: Bool) -> SQLText {
        var sql = SQLText()
        leaf.add(to: &sql)
        sql.add(negated ? " IS NOT NULL" : " IS NULL")
        return sql
    }

    /// A condition that is null for null, as it is or negated.
    private func settled(_ condition: SQLText, _ negated: Bool) -> SQLText {
        guard negated else { return condition }
        var sql = SQLText("NOT IFNULL(")
        sql.add(condition)
        sql.add(", 0)")
        return sql
    }

    private static func text(of value: Value) -> Value {
        if case .url(let url) = value { .string(url.absoluteString) } else { value }
    }
}
