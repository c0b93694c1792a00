public import StrataStore

/// The explanation of a fetch: the work of each store and of the core, the indexes used, and the number of rows read.
public struct QueryExplanation: Sendable, Hashable {
    /// The work of one store.
    public struct Store: Sendable, Hashable {
        /// The ID of the store.
        public let id: StoreID
        /// The kind of store.
        public let type: StoreType
        /// The parts of the plan that the store did, and left to the core.
        public let plan: PlanExplanation
        /// The steps after finding the rows, in order, in the store or the core: a phrase each.
        public let steps: [String]
        let hasOrder: Bool

        init(storeID: StoreID, type: StoreType, plan explanation: PlanExplanation, of plan: FetchPlan) {
            self.id = storeID
            self.type = type
            self.plan = explanation
            steps = plan.steps(explanation)
            hasOrder = plan.isOrdered
        }
    }

    /// A reason why a fetch is slower than necessary.
    public enum Warning: Sendable, Hashable {
        /// A store read every row, of the given number.
        case fullScan(store: StoreID, rows: Int)
        /// Conditions were tested in the core, over the rows of a store.
        case testedInCore(store: StoreID, conditions: [String])
        /// The rows of a store were sorted in the core.
        case sortedInCore(store: StoreID)
        /// The given number of objects with unsaved changes was tested and sorted beside the stores' answers.
        case pendingChanges(objects: Int)
    }

    /// The number of rows from which on a full scan is worth a warning.
    public static let fullScanThreshold = 1000

    /// The name of the entity.
    public var entity: String
    /// The stores that took part, in the order of the coordinator.
    public var stores: [Store]
    /// The core's steps with the answers of all stores, in order: a phrase each.
    public var steps: [String] = []
    /// Whether the core sorted the answers of all stores, by a computed order.
    public var isSortedInCore = false
    /// The number of objects with unsaved changes in the overlay of the stores' answers.
    public var pendingObjects = 0
    private let hasConditions: Bool

    init(_ plan: FetchPlan, stores: [Store]) {
        entity = plan.entity.name
        self.stores = stores
        hasConditions = plan.predicate.map { !$0.conjuncts.isEmpty } ?? false
        if stores.count > 1 { steps = plan.stepsOfMerging(stores.count) }
    }

    /// The number of rows read in all stores.
    public var rowsRead: Int { stores.reduce(0) { $0 + $1.plan.rowsRead } }

    /// The reasons why the fetch is slower than necessary.
    public var warnings: [Warning] {
        var warnings: [Warning] = []
        for store in stores {
            if hasConditions, store.plan.access.contains(.scan), store.plan.rowsRead >= QueryExplanation.fullScanThreshold {
                warnings.append(.fullScan(store: store.id, rows: store.plan.rowsRead))
            }
            if !store.plan.remaining.isEmpty { warnings.append(.testedInCore(store: store.id, conditions: store.plan.remaining)) }
            if isSortedInCore || (store.hasOrder && !store.plan.isSorted) { warnings.append(.sortedInCore(store: store.id)) }
        }
        if pendingObjects > 0 { warnings.append(.pendingChanges(objects: pendingObjects)) }
        return warnings
    }
}

extension QueryExplanation: CustomStringConvertible {
    /// The explanation as text, by lines.
    public var description: String {
        var lines = ["Fetch of \(entity): \(rowsRead) rows read in \(stores.count.counted("store"))"]
        for store in stores {
            lines.append("\(store.type) store \(store.id)")
            lines += store.lines.map { "  " + $0 }
        }
        lines += steps
        lines += warnings.map { "warning: \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension QueryExplanation {
    /// The work of each store without the query's values, for logs.
    var withoutValues: String {
        let works = stores.map { store in
            let access = store.plan.access.map(\.description).joined(separator: ", ")
            return store.plan.statement.map { "\(access); \($0)" } ?? access
        }
        return works.joined(separator: "; ")
    }
}

extension QueryExplanation.Warning: CustomStringConvertible {
    /// The warning as a sentence.
    public var description: String {
        switch self {
        case .fullScan(let store, let rows): "full scan: store \(store) read \(rows) rows; an index would spare most of them"
        case .testedInCore(let store, let conditions):
            "tested in the core, over the rows of store \(store): \(conditions.joined(separator: " AND "))"
        case .sortedInCore(let store): "the rows of store \(store) were sorted in the core"
        case .pendingChanges(let objects): "\(objects) objects with changes that are not saved were laid over the answer"
        }
    }
}

extension QueryExplanation.Store {
    fileprivate var lines: [String] {
        let suffix = plan.isOfReplica ? " by a replica" : ""
        var lines = ["rows: \(plan.access.map(\.description).joined(separator: ", ")); \(plan.rowsRead) read\(suffix)"]
        let byIndex = plan.decided.filter { !plan.tested.contains($0) && !plan.remaining.contains($0) }
        if !byIndex.isEmpty { lines.append("answered by the store: \(byIndex.joined(separator: " AND "))") }
        if !plan.tested.isEmpty { lines.append("tested row by row in the store: \(plan.tested.joined(separator: " AND "))") }
        if !plan.remaining.isEmpty { lines.append("tested in the core: \(plan.remaining.joined(separator: " AND "))") }
        lines += steps
        if let statement = plan.statement { lines.append("statement: \(statement)") }
        return lines
    }
}

extension FetchPlan {
    /// Whether the plan has an order that makes a difference.
    fileprivate var isOrdered: Bool {
        switch result {
        case .count, .groups: false
        case .rows, .references, .values: !sort.isEmpty
        }
    }

    /// Returns limit and offset as a phrase, `nil` without either.
    package static func slice(_ limit: Int?, _ offset: Int) -> String? {
        let parts = [limit.map { "limit \($0)" }, offset > 0 ? "offset \(offset)" : nil].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }

    /// Returns the core's steps with the answers of several stores, in order: a phrase each.
    fileprivate func stepsOfMerging(_ count: Int) -> [String] {
        var rest = self
        rest.sort = []
        switch result {
        case .rows, .references, .values: break
        case .count, .groups: rest.result = .rows
        }
        return ["answers of \(count) stores merged in the core"] + rest.steps(PlanExplanation(rowsRead: 0))
    }

    /// Returns the steps after finding the rows, in order: a phrase each.
    fileprivate func steps(_ explanation: PlanExplanation) -> [String] {
        func location(_ isInStore: Bool) -> String { isInStore ? "in the store" : "in the core" }
        func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }
        var steps: [String] = []
        switch result {
        case .rows, .references: break
        case .count: steps.append("counted \(location(explanation.isComputed))")
        case .groups(let groups):
            let keys = groups.keys.isEmpty ? "" : " by \(list(groups.keys.map(\.description)))"
            let aggregates = groups.aggregates.map(\.description)
            steps.append("grouped \(location(explanation.isComputed))\(keys)\(aggregates.isEmpty ? "" : ": \(list(aggregates))")")
        case .values(let values):
            let kind = values.isDistinct ? "distinct values" : "values"
            steps.append("\(kind) computed \(location(explanation.isComputed)): \(list(values.columns.map(\.description)))")
        }
        if isOrdered { steps.append("sorted \(location(explanation.isSorted)) by \(list(sort.map(\.description)))") }
        if let slice = FetchPlan.slice(limit, offset) { steps.append("\(slice) applied \(location(explanation.isSliced))") }
        return steps
    }
}

extension PlanExplanation.Access: CustomStringConvertible {
    /// The access path as a phrase.
    public var description: String {
        switch self {
        case .scan: "full scan"
        case .index(let name): "index \(name)"
        case .references: "by reference"
        case .nothing: "none, the conditions contradict each other"
        }
    }
}
