import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Comparisons of paths with constants.
///
/// The engine knows the keys that a comparison admits, those that its indexes look up: SQL only says where these lie.
extension PostgreSQLDialect {
    static func condition(
        _ comparison: ResolvedComparison, with value: Value, in compiler: inout ConditionCompiler
    ) -> Condition? {
        referenceCondition(comparison, in: compiler) ?? textCondition(comparison, in: &compiler)
    }

    static func keyCondition(_ predicate: ResolvedPredicate, in compiler: ConditionCompiler) -> Condition? {
        var variable: Int?
        predicate.forEachPath { variable = variable ?? $0.variable }
        guard let variable, let table = compiler.scope.variables[variable],
            let based = variable == 0 ? predicate : predicate.rebased(from: variable),
            let condition = SlotCondition(based, storeID: compiler.storeID), condition.kind != .transformable
        else { return nil }
        guard let column = table.column(condition.slot) else { return nil }
        let keys = KeyCompiler(column: column, alias: table.alias)
        return keys.condition(condition.keys).map { Condition($0, isExact: condition.keys.isExact) }
    }

    private static func referenceCondition(_ comparison: ResolvedComparison, in compiler: ConditionCompiler) -> Condition? {
        guard case .object = comparison.left.leaf, let constant = comparison.right.constant,
            let table = compiler.scope.variables[comparison.left.variable]
        else { return nil }
        let ids: [Value]
        switch (comparison.operator, constant) {
        case (.equal, .objectID): ids = [constant]
        case (.isIn, .list(let values)): ids = values
        default: return nil
        }
        let references = ids.compactMap { value -> Int64? in
            guard case .objectID(let id) = value, id.storeID == compiler.storeID, id.reference > 0,
                id.entity.rootName == table.entity.rootName
            else { return nil }
            return id.reference
        }
        let sql = SQLText("\(column: EntityTable.id, of: table.alias) = ANY(\(bind: ArrayValues(references).parameter))")
        return Condition(sql)
    }

    private static func textCondition(_ comparison: ResolvedComparison, in compiler: inout ConditionCompiler) -> Condition? {
        guard let slot = comparison.left.leafSlot, let table = compiler.scope.variables[comparison.left.variable],
            let column = table.column(slot),
            case .constant(.string(let text)) = comparison.right
        else { return nil }
        guard column.kind == .string || column.kind == .uri else { return nil }
        let sql = SQLText("\(column: column.name, of: table.alias)")
        guard let condition = TextCondition(sql, comparison.operator, text, comparison.options)?.condition else { return nil }
        // A pattern may be too much for the server.
        return comparison.operator != .matches || compiler.admitFailure() ? condition : nil
    }
}
