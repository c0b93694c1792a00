import StrataSQL

/// The SQL of an index's elements, and of a partial index's condition; `nil` for an expression without an equivalent in SQL.
///
/// SQLite uses a partial index only for queries that imply its condition: a different semantics of nil in SQL does no harm.
struct IndexText {
    let entity: EntityDescription
    let table: EntityTable

    // MARK: - Conditions

    /// `ZAGE > 17 AND ZNAME IS NOT NULL`.
    func condition(_ text: String) -> SQLText? {
        (try? QueryPredicate(format: text)).flatMap { condition($0) }
    }

    private func condition(_ predicate: QueryPredicate) -> SQLText? {
        switch predicate {
        case .and(let parts): return join(parts, " AND ")
        case .or(let parts): return join(parts, " OR ")
        case .not(let part):
            return condition(part).map { "NOT (\($0))" }
        case .comparison(let comparison): return condition(comparison)
        default: return nil
        }
    }

    private func join(_ parts: [QueryPredicate], _ word: StaticString) -> SQLText? {
        let texts = parts.compactMap { condition($0) }
        return texts.isEmpty || texts.count < parts.count ? nil : "(\(texts, separator: word))"
    }

    private func condition(_ comparison: QueryComparison) -> SQLText? {
        guard comparison.modifier == .direct, comparison.options.isEmpty, case .keyPath(let name) = comparison.left,
            let column = column(name)
        else { return nil }
        let subject = SQLText(identifier: column.name)
        let constants: [Value]
        switch comparison.right {
        case .constant(.list(let values)): constants = values
        case .constant(let value): constants = [value]
        case .list(let parts):
            constants = parts.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            if constants.count < parts.count { return nil }
        default: return nil
        }
        if constants.count == 1, constants[0].isNull {
            switch comparison.operator {
            case .equal: return "\(subject) IS NULL"
            case .notEqual: return "\(subject) IS NOT NULL"
            default: return nil
            }
        }
        let literals = constants.compactMap { IndexText.literal($0, column.kind).map { SQLText("\(literal: $0)") } }
        guard literals.count == constants.count else { return nil }
        switch comparison.operator {
        case .isIn: return "\(subject) IN (\(literals))"
        case .between where literals.count == 2: return "\(subject) BETWEEN \(literals, separator: " AND ")"
        default: break
        }
        let order = comparison.operator.sqlOrder
        guard literals.count == 1, let word = comparison.operator == .equal ? " = " : comparison.operator == .notEqual ? " <> " : order
        else {
            return nil
        }
        return "\(subject)\(word)\(literals[0])"
    }

    // MARK: - Expressions

    /// `(ZPRICE * ZCOUNT)`, or the column of an attribute.
    func element(_ element: FetchIndex.Element) -> SQLText? {
        guard let text = element.expression else { return column(element.property).map { SQLText(identifier: $0.name) } }
        return (try? QueryExpression(format: text)).flatMap { expression($0) }
    }

    private func expression(_ expression: QueryExpression) -> SQLText? {
        switch expression {
        case .evaluatedObject: return "Z_PK"
        case .keyPath("entity") where entity.property(named: "entity") == nil: return "Z_ENT"
        case .keyPath(let name):
            guard let column = column(name), [.integer, .double, .float].contains(column.kind) else { return nil }
            return SQLText(identifier: column.name)
        case .constant(let value):
            guard let literal = IndexText.literal(value, .integer) ?? IndexText.literal(value, .double) else { return nil }
            return SQLText("\(literal: literal)")
        case .function(let function, let arguments) where arguments.count == 2:
            guard let left = self.expression(arguments[0]), let right = self.expression(arguments[1]) else { return nil }
            switch function {
            case .add: return "(\(left) + \(right))"
            case .subtract: return "(\(left) - \(right))"
            case .multiply: return "(\(left) * \(right))"
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: - Columns and constants

    private func column(_ name: String) -> Column? {
        guard let slot = entity.attribute(named: name)?.slot else { return nil }
        let column = table.column(slot, of: entity.index)
        return column.isPresent && !column.isExternal ? column : nil
    }

    private static func literal(_ value: Value, _ kind: SlotKind) -> SQLBinding? {
        switch (kind, value) {
        case (.integer, .int), (.boolean, .bool), (.double, .int), (.float, .int), (.double, .double), (.float, .double), (.date, .date):
            break
        case (.boolean, .int(let number)) where number == 0 || number == 1: break
        case (.string, .string(let text)) where !text.utf8.contains(0): break
        default: return nil
        }
        return SQLBinding(value).flatMap { $0.isFinite ? $0 : nil }
    }
}
