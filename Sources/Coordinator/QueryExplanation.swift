import StrataModel
import StrataQuery
import StrataStore

/// How a fetch was answered: what ran in which store, what in the core, which index served, and how many rows were read.
public struct QueryExplanation: Sendable, Hashable {
    /// What one store did.
    public struct Store: Sendable, Hashable {
        /// The UUID of the store.
        public let uuid: String
        /// The kind of store.
        public let type: StoreType
        /// What the store did of the plan, and what it left to the core.
        public let plan: PlanExplanation
        /// Whether the fetch asks for an order.
        let hasOrder: Bool

        /// What a store did.
        public init(uuid: String, type: StoreType, plan: PlanExplanation, hasOrder: Bool = false) {
            self.uuid = uuid
            self.type = type
            self.plan = plan
            self.hasOrder = hasOrder
        }
    }

    /// Something that makes a fetch slower than it needs to be.
    public enum Warning: Sendable, Hashable {
        /// A store read every row, so many of them, to find those that meet the conditions.
        case fullScan(store: String, rows: Int)
        /// Conditions were tested in the core, over the rows of a store.
        case testedInCore(store: String, conditions: [String])
        /// The rows of a store were sorted in the core.
        case sortedInCore(store: String)
        /// So many objects with changes that are not saved were tested and put in order beside what the stores answered.
        case pendingChanges(objects: Int)
    }

    /// From how many rows on a full scan is worth a warning.
    public static let fullScanThreshold = 1000

    /// The name of the entity.
    public var entity: String
    /// The stores that took part, in the order of the coordinator.
    public var stores: [Store]
    /// How many objects with changes that are not saved were laid over what the stores answered.
    public var pendingObjects = 0
    /// Whether conditions restrict the fetch.
    private let hasConditions: Bool

    /// An explanation of a plan.
    public init(_ plan: FetchPlan, stores: [Store]) {
        entity = plan.entity.name
        self.stores = stores
        hasConditions = plan.predicate.map { !$0.conjuncts.isEmpty } ?? false
    }

    /// How many rows were read in all stores.
    public var rowsRead: Int { stores.reduce(0) { $0 + $1.plan.rowsRead } }

    /// What makes the fetch slower than it needs to be.
    public var warnings: [Warning] {
        var warnings: [Warning] = []
        for store in stores {
            if hasConditions, store.plan.access.contains(.scan), store.plan.rowsRead >= QueryExplanation.fullScanThreshold {
                warnings.append(.fullScan(store: store.uuid, rows: store.plan.rowsRead))
            }
            if !store.plan.remaining.isEmpty { warnings.append(.testedInCore(store: store.uuid, conditions: store.plan.remaining)) }
            if store.hasOrder, !store.plan.isSorted { warnings.append(.sortedInCore(store: store.uuid)) }
        }
        if pendingObjects > 0 { warnings.append(.pendingChanges(objects: pendingObjects)) }
        return warnings
    }
}

extension QueryExplanation: CustomStringConvertible {
    /// The explanation for a reader, one line for each thing to know.
    public var description: String {
        var lines = ["Fetch of \(entity): \(rowsRead) rows read in \(stores.count) \(stores.count == 1 ? "store" : "stores")"]
        for store in stores {
            lines.append("\(store.type) store \(store.uuid)")
            lines += store.plan.lines(hasOrder: store.hasOrder).map { "  " + $0 }
        }
        lines += warnings.map { "warning: \($0)" }
        return lines.joined(separator: "\n")
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

extension PlanExplanation {
    fileprivate func lines(hasOrder: Bool) -> [String] {
        var lines = ["rows: \(access.map(\.description).joined(separator: ", ")); \(rowsRead) read"]
        let byIndex = decided.filter { !tested.contains($0) && !remaining.contains($0) }
        if !byIndex.isEmpty { lines.append("answered by the store: \(byIndex.joined(separator: " AND "))") }
        if !tested.isEmpty { lines.append("tested row by row in the store: \(tested.joined(separator: " AND "))") }
        if !remaining.isEmpty { lines.append("tested in the core: \(remaining.joined(separator: " AND "))") }
        if hasOrder { lines.append("sorted in the \(isSorted ? "store" : "core")") }
        if let statement { lines.append("statement: \(statement)") }
        return lines
    }
}

extension PlanExplanation.Access: CustomStringConvertible {
    /// The way as a phrase.
    public var description: String {
        switch self {
        case .scan: "full scan"
        case .index(let name): "index \(name)"
        case .references: "by reference"
        case .nothing: "none, the conditions contradict each other"
        }
    }
}
