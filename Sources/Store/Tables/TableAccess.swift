import StrataModel
import StrataQuery

/// Where a query finds the rows to look at.
enum TableAccess {
    /// Nowhere: the conditions contradict each other.
    case nothing
    /// In the whole table.
    case scan
    /// At some references, upward, each once.
    case references([Int64])
    /// In part of an index.
    case index(IndexRange)

    /// The number of rows to look at.
    func cost(of rows: Int) -> Int {
        switch self {
        case .nothing: 0
        case .scan: rows
        case .references(let references): references.count
        case .index(let range): range.count
        }
    }
}

/// The best way to the rows of a plan, and what it leaves to test.
struct TablePath {
    private(set) var access = TableAccess.scan
    /// The conditions that are still to be tested.
    private(set) var rest: [ResolvedPredicate]

    init(_ plan: FetchPlan, _ reader: TableReader) {
        let conditions = plan.predicate?.conjuncts ?? []
        rest = conditions
        let place = reader.schema.treeOfEntity[plan.entity.index]
        let (tree, table) = (reader.schema.trees[place], reader.version.trees[place])
        var best = table.rows.count
        var slots: [SlotCondition] = []
        for (number, condition) in conditions.enumerated() {
            if case .constant(false) = condition {
                (access, rest) = (.nothing, [])
                return
            }
            if let references = TablePath.references(condition, reader.storeUUID) {
                if references.count <= best {
                    (access, best) = (.references(references), references.count)
                    rest = conditions
                    rest.remove(at: number)
                }
            } else if let slot = SlotCondition(condition, number, reader.storeUUID) {
                slots.append(slot)
            }
        }
        if slots.isEmpty { return }
        for (number, shape) in tree.indexes.enumerated()
        where shape.entities.contains(plan.entity.index) && slots.contains(where: { $0.slot == shape.elements[0].slot }) {
            guard let range = IndexRange(number, shape, table.index(number, tree), table.rows, slots) else { continue }
            // Leaping from entry to row costs more than walking along the rows.
            guard range.count < best, range.count * 2 <= table.rows.count || table.rows.count < 64 else { continue }
            best = range.count
            access = .index(range)
            rest = conditions.enumerated().filter { !range.met.contains($0.offset) }.map(\.element)
        }
    }

    /// The references that a condition on the object itself admits, upward; `nil` for another condition.
    private static func references(_ predicate: ResolvedPredicate, _ storeUUID: String?) -> [Int64]? {
        guard case .comparison(let comparison) = predicate, comparison.left.steps.isEmpty, case .object = comparison.left.leaf,
            let constant = comparison.right.constant
        else { return nil }
        switch (comparison.operator, constant) {
        case (.equal, .objectID(let id)): return id.storeUUID == storeUUID && id.reference > 0 ? [id.reference] : []
        case (.isIn, .list(let values)):
            var references: [Int64] = []
            references.reserveCapacity(values.count)
            for case .objectID(let id) in values where id.reference > 0 && id.storeUUID == storeUUID { references.append(id.reference) }
            references.sort()
            var unique: [Int64] = []
            unique.reserveCapacity(references.count)
            for reference in references where unique.last != reference { unique.append(reference) }
            return unique
        default: return nil
        }
    }
}
