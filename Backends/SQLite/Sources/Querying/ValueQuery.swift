import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Tuples of values that SQLite reads, without the rest of the rows.
struct ValueQuery {
    let columns: [SQLExpression]
    let isDistinct: Bool

    /// The tuples that a statement answers, in the order of the plan.
    func tuples(_ statement: Statement, _ plan: FetchPlan) throws -> [[Value]] {
        var tuples: [(reference: Int64, values: [Value])] = []
        var isAscending = true
        var seen = TupleSet()
        // The first of equal tuples stands for all; in the order by reference it is known only when all were read.
        let isOrdered = !plan.sort.isEmpty
        let enough = isDistinct && isOrdered ? plan.slice.end() : nil
        while enough.map({ tuples.count < $0 }) ?? true, try statement.step(.fetch) {
            var values: [Value] = []
            values.reserveCapacity(columns.count)
            for (index, column) in columns.enumerated() {
                values.append(try ColumnValue.read(statement, Int32(truncatingIfNeeded: index + 1), column))
            }
            if isDistinct && isOrdered && !seen.insert(values) { continue }
            let reference = statement.integer(0)
            if let last = tuples.last, last.reference > reference { isAscending = false }
            tuples.append((reference, values))
        }
        if !isOrdered && !isAscending { tuples.sort { $0.reference < $1.reference } }
        let found = tuples.map(\.values)
        guard isDistinct else { return found }
        return plan.slice(isOrdered ? found : found.filter { seen.insert($0) })
    }
}
