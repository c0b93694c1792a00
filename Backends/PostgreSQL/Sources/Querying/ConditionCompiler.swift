import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Puts predicates into SQL, where that decides as the core does.
///
/// What a comparison admits is told by the engine as keys, the ones that its indexes look up: SQL only says where these lie.
struct ConditionCompiler {
    let storeID: StoreID
    /// The tables that predicates speak of.
    var scope: QueryScope
    /// Whether a statement is of use that fails where the core would go on.
    let allowsFailures: Bool
    /// Whether a statement with the conditions may fail where the core would go on.
    private(set) var mayFail = false
    /// What groups are tested by, by their columns; `nil` for what only the core computes.
    var columns: [SQLExpression?] = []

    /// - Parameter allowsFailures: Whether a statement is of use that fails where the core would go on.
    init(
        _ schema: StoreSchema, _ table: EntityTable, _ entity: EntityDescription, _ storeID: StoreID, allowsFailures: Bool
    ) {
        self.storeID = storeID
        self.allowsFailures = allowsFailures
        scope = QueryScope(schema, table, entity)
    }

    /// Takes note that the statement may fail where the core would go on.
    ///
    /// - Returns: Whether it is of use then.
    mutating func admitFailure() -> Bool {
        if allowsFailures { mayFail = true }
        return allowsFailures
    }

    /// A condition on the table `t0`, or on what a subquery is of.
    struct Condition {
        let sql: SQLText
        /// Whether every row that meets it meets the predicate; a row that does not meet it never does.
        let isExact: Bool
    }

    /// The condition of a predicate, `nil` where SQL has none.
    mutating func condition(_ predicate: ResolvedPredicate) -> Condition? {
        let range = slotCondition(predicate)
        if let range, range.isExact { return range }
        return detailed(predicate, range) ?? range
    }

    /// - Parameter range: What is known of the slot that a predicate is about, less than the predicate says.
    private mutating func detailed(_ predicate: ResolvedPredicate, _ range: Condition?) -> Condition? {
        switch predicate {
        case .constant(let isMet): return Condition(sql: SQLText(isMet ? "true" : "false"), isExact: true)
        case .and(let parts):
            let known = parts.compactMap { condition($0) }
            if known.isEmpty { return nil }
            return Condition(
                sql: join(known.map(\.sql), " AND "), isExact: known.count == parts.count && known.allSatisfy(\.isExact))
        case .or(let parts):
            let known = parts.compactMap { condition($0) }
            guard known.count == parts.count, !known.isEmpty else { return nil }
            return Condition(sql: join(known.map(\.sql), " OR "), isExact: known.allSatisfy(\.isExact))
        case .not(let part):
            guard let known = condition(part), known.isExact else { return nil }
            // A subquery that is sought as such can be joined with.
            if case .exists = part {
                var sql = SQLText("NOT ")
                sql.add(known.sql)
                return Condition(sql: sql, isExact: true)
            }
            var sql = SQLText("((")
            sql.add(known.sql)
            // What is null is not met.
            sql.add(") IS NOT TRUE)")
            return Condition(sql: sql, isExact: true)
        case .comparison(let comparison):
            if case .path = comparison.right { return pathCondition(comparison) }
            if !comparison.left.steps.isEmpty { return destinationCondition(comparison) }
            guard let known = referenceCondition(comparison) ?? textCondition(comparison) else { return nil }
            return Condition(sql: range.map { join([$0.sql, known.sql], " AND ") } ?? known.sql, isExact: known.isExact)
        case .test(let test): return countCondition(test) ?? entityCondition(test) ?? testCondition(test)
        case .exists(let collection): return collectionCondition(collection)
        }
    }

    private func join(_ parts: [SQLText], _ word: StaticString) -> SQLText {
        var sql = SQLText("(")
        sql.add(parts, separator: word) { $0.add($1) }
        sql.add(")")
        return sql
    }

    // MARK: - The object itself

    private func referenceCondition(_ comparison: ResolvedComparison) -> Condition? {
        guard case .object = comparison.left.leaf, let constant = comparison.right.constant,
            let place = scope.places[comparison.left.variable]
        else { return nil }
        let ids: [Value]
        switch (comparison.operator, constant) {
        case (.equal, .objectID): ids = [constant]
        case (.isIn, .list(let values)): ids = values
        default: return nil
        }
        let references = ids.compactMap { value -> Int64? in
            guard case .objectID(let id) = value, id.storeID == storeID, id.reference > 0,
                id.entity.rootName == place.entity.rootName
            else { return nil }
            return id.reference
        }
        var sql = SQLText()
        sql.add(column: EntityTable.id, of: place.alias)
        sql.add(" = ANY(")
        sql.bind(ArrayValues(references).parameter)
        sql.add(")")
        return Condition(sql: sql, isExact: true)
    }

    /// `t0."_entity" IN (2)`, for a condition on the name of the object's entity.
    private func entityCondition(_ test: ResolvedTest) -> Condition? {
        guard test.modifier == .direct, case .entityName(let path, let names) = test.left, path.steps.isEmpty,
            case .constant(let value) = test.right, let place = scope.places[path.variable]
        else { return nil }
        var numbers: [Int] = []
        for entity in place.table.tree {
            guard let isMet = try? ValueTest.holds(.string(names[entity]), test.operator, value, test.options) else { return nil }
            if isMet { numbers.append(place.table.number(of: entity)) }
        }
        if numbers.isEmpty { return Condition(sql: SQLText("false"), isExact: true) }
        var sql = SQLText()
        sql.add(column: EntityTable.entity, of: place.alias)
        sql.add(" IN (")
        sql.add(numbers, separator: ", ") { $0.add(number: $1) }
        sql.add(")")
        return Condition(sql: sql, isExact: true)
    }

    // MARK: - Slots

    private func slotCondition(_ predicate: ResolvedPredicate) -> Condition? {
        var variable: Int?
        predicate.forEachPath { variable = variable ?? $0.variable }
        guard let variable, let place = scope.places[variable],
            let based = variable == 0 ? predicate : predicate.rebased(from: variable),
            let condition = SlotCondition(based, storeID: storeID), condition.kind != .transformable
        else { return nil }
        let keys = KeyCompiler(column: place.column(condition.slot), alias: place.alias)
        return keys.condition(condition.keys).map { Condition(sql: $0, isExact: condition.keys.isExact) }
    }

    private mutating func textCondition(_ comparison: ResolvedComparison) -> Condition? {
        guard let slot = comparison.left.leafSlot, let place = scope.places[comparison.left.variable],
            case .constant(.string(let text)) = comparison.right
        else { return nil }
        let column = place.column(slot)
        guard column.kind == .string || column.kind == .uri else { return nil }
        var sql = SQLText()
        sql.add(column: column.name, of: place.alias)
        guard let condition = TextCondition(sql, comparison.operator, text, comparison.options)?.condition else { return nil }
        // A pattern may be too much for the server.
        return comparison.operator != .matches || admitFailure() ? condition : nil
    }
}
