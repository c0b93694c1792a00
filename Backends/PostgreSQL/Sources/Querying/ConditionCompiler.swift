import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery

/// Puts predicates over an object's own row into SQL, where that decides as the core does.
///
/// What a comparison admits is told by the engine as keys, the ones that its indexes look up: SQL only says where these lie.
struct ConditionCompiler {
    let table: EntityTable
    let entity: EntityDescription
    let storeID: StoreID

    /// A condition on the table `t0`.
    struct Condition {
        let sql: SQLText
        /// Whether every row that meets it meets the predicate; a row that does not meet it never does.
        let isExact: Bool
    }

    /// The condition of a predicate, `nil` where SQL has none.
    func condition(_ predicate: ResolvedPredicate) -> Condition? {
        if let known = slotCondition(predicate) ?? referenceCondition(predicate) { return known }
        switch predicate {
        case .constant(let isMet): return Condition(sql: SQLText(isMet ? "true" : "false"), isExact: true)
        case .and(let parts):
            let conditions = parts.map { condition($0) }
            let known = conditions.compactMap(\.self)
            if known.isEmpty { return nil }
            return Condition(
                sql: join(known.map(\.sql), " AND "), isExact: known.count == parts.count && known.allSatisfy(\.isExact))
        case .or(let parts):
            let known = parts.compactMap { condition($0) }
            guard known.count == parts.count, !known.isEmpty else { return nil }
            return Condition(sql: join(known.map(\.sql), " OR "), isExact: known.allSatisfy(\.isExact))
        case .not(let part):
            guard let known = condition(part), known.isExact else { return nil }
            var sql = SQLText("((")
            sql.add(known.sql)
            // What is null is not met.
            sql.add(") IS NOT TRUE)")
            return Condition(sql: sql, isExact: true)
        case .comparison, .test, .exists: return nil
        }
    }

    private func join(_ parts: [SQLText], _ word: StaticString) -> SQLText {
        var sql = SQLText("(")
        sql.add(parts, separator: word) { $0.add($1) }
        sql.add(")")
        return sql
    }

    // MARK: - The object itself

    private func referenceCondition(_ predicate: ResolvedPredicate) -> Condition? {
        guard case .comparison(let comparison) = predicate, comparison.left.variable == 0, comparison.left.steps.isEmpty,
            case .object = comparison.left.leaf, let constant = comparison.right.constant
        else { return nil }
        let ids: [Value]
        switch (comparison.operator, constant) {
        case (.equal, .objectID): ids = [constant]
        case (.isIn, .list(let values)): ids = values
        default: return nil
        }
        let references = ids.compactMap { value -> Int64? in
            guard case .objectID(let id) = value, id.storeID == storeID, id.reference > 0, id.entity.rootName == entity.rootName else {
                return nil
            }
            return id.reference
        }
        var sql = SQLText()
        sql.add(column: EntityTable.id)
        sql.add(" = ANY(")
        sql.bind(ArrayValues(references).parameter)
        sql.add(")")
        return Condition(sql: sql, isExact: true)
    }

    // MARK: - Keys of a slot

    private func slotCondition(_ predicate: ResolvedPredicate) -> Condition? {
        guard let condition = SlotCondition(predicate, storeID: storeID), condition.kind != .transformable else { return nil }
        let keys = KeyCompiler(column: table.column(condition.slot, of: entity.index))
        return keys.condition(condition.keys).map { Condition(sql: $0, isExact: condition.keys.isExact) }
    }
}
