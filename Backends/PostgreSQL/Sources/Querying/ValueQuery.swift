import StrataEvaluation
import StrataModel
import StrataSQL
import StrataStore

/// Tuples of values that the server answers, without the rest of the rows.
struct ValueQuery {
    /// The kinds of the columns.
    let kinds: [SlotKind]
    /// Whether the different tuples are found here.
    let isDistinct: Bool

    /// Whether the server finds the different tuples: all rows of a tuple are then adjacent in the order, but for their references.
    static func isGrouped(_ plan: ValuePlan, _ sort: [ResolvedSort]) -> Bool {
        let slots = plan.columns.compactMap { $0.path?.steps.isEmpty == true ? $0.path?.leafSlot : nil }
        let areExact = plan.columns.allSatisfy { expression in
            switch expression.path?.leafKind {
            case .double?, .float?, .date?, .uri?: false
            default: true
            }
        }
        return plan.isDistinct && !plan.columns.isEmpty && areExact
            && sort.allSatisfy { sort in sort.path.steps.isEmpty && sort.path.leafSlot.map(slots.contains) ?? false }
    }

    /// The tuples that a statement answered; offset and limit are of them where they are different.
    func tuples(_ result: ResultTable, _ plan: FetchPlan) -> [[Value]] {
        let all = (0..<result.count).map { row in kinds.enumerated().map { result.value(row, $0, $1) } }
        if !isDistinct { return all }
        var seen = TupleSet()
        return plan.slice(all.filter { seen.insert($0) })
    }
}
