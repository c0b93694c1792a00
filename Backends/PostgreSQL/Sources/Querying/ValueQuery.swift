import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Tuples of values that the server answers, without the rest of the rows.
struct ValueQuery {
    private let columns: [ColumnOperand]
    /// The tables that the columns are in, besides.
    private(set) var joins = SQLText()
    private let isDistinct: Bool
    /// Whether the server finds the different tuples: all rows of a tuple are then adjacent in the order, but for their references.
    let isGrouped: Bool

    /// - Returns: `nil` where only the core computes a value.
    init?(_ values: ValuePlan, _ plan: FetchPlan, _ scope: inout QueryScope) {
        var columns: [ColumnOperand] = []
        for expression in values.columns {
            guard let operand = ColumnOperand(expression, &scope, &joins) else { return nil }
            columns.append(operand)
        }
        self.columns = columns
        isDistinct = values.isDistinct
        let slots = values.columns.compactMap { $0.path?.steps.isEmpty == true ? $0.path?.leafSlot : nil }
        isGrouped =
            values.isDistinct && !columns.isEmpty && !columns.contains { $0.isFloating || $0.kind == .uri }
            && plan.sort.allSatisfy { sort in sort.path.steps.isEmpty && sort.path.leafSlot.map(slots.contains) ?? false }
    }

    /// Adds what to select: `t0."name", t1."name"`.
    func addColumns(to sql: inout SQLText) {
        if columns.isEmpty { sql.add("1") }
        sql.add(columns, separator: ", ") { $0.add($1.column) }
    }

    /// The tuples that a statement answered; offset and limit are of them where they are different.
    func tuples(_ result: ResultTable, _ plan: FetchPlan) -> [[Value]] {
        let all = (0..<result.count).map { row in columns.enumerated().map { $1.value(result, row, $0) } }
        if !isDistinct || isGrouped { return all }
        var seen = TupleSet()
        return plan.slice(all.filter { seen.insert($0) })
    }
}
