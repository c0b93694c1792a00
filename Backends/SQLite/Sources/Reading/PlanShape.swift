import FoundationEssentials
import StrataModel
import StrataQuery
import StrataStore

/// A plan less its constants: plans of one shape are answered by one statement, with their constants bound.
///
/// Only plans whose constants all become parameters, one by one in their order, have a shape that a statement is kept for; whether that is
/// so shows when the statement is first made.
struct PlanShape: Hashable {
    private var words: [Int] = []
    /// The constants, in the order in which they come up.
    private(set) var bindings: [SQLBinding] = []
    private let storeUUID: String

    /// The shape of a plan; `nil` for one whose statement is made anew each time.
    init?(_ plan: FetchPlan, storeUUID: String) {
        self.storeUUID = storeUUID
        words.reserveCapacity(16)
        switch plan.result {
        case .rows: words.append(0)
        case .references: words.append(1)
        case .count: words.append(2)
        case .groups, .values: return nil
        }
        words.append(plan.entity.index << 1 | (plan.includesSubentities ? 1 : 0))
        words.append(plan.predicate == nil ? 0 : 1)
        if let predicate = plan.predicate, !add(predicate) { return nil }
        words.append(plan.sort.count)
        for sort in plan.sort {
            words.append(sort.options.rawValue << 2 | (sort.ascending ? 3 : 2))
            add(sort.path)
        }
        words.append(plan.offset > 0 ? 2 : plan.limit != nil ? 1 : 0)
        if case .count = plan.result { return }
        guard plan.limit != nil || plan.offset > 0 else { return }
        bindings.append(.integer(Int64(plan.limit.map { max(0, $0) } ?? -1)))
        if plan.offset > 0 { bindings.append(.integer(Int64(plan.offset))) }
    }

    static func == (a: PlanShape, b: PlanShape) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) { hasher.combine(words) }

    // MARK: - Predicates

    private mutating func add(_ predicate: ResolvedPredicate) -> Bool {
        switch predicate {
        case .constant(let truth): words.append(truth ? 10 : 11)
        case .not(let part):
            words.append(12)
            return add(part)
        case .and(let parts): return add(parts, 13)
        case .or(let parts): return add(parts, 14)
        case .comparison(let comparison): return add(comparison)
        case .exists(let collection):
            words.append(15)
            return add(collection)
        case .test: return false
        }
        return true
    }

    private mutating func add(_ parts: [ResolvedPredicate], _ kind: Int) -> Bool {
        words.append(parts.count << 8 | kind)
        for part in parts where !add(part) { return false }
        return true
    }

    private mutating func add(_ comparison: ResolvedComparison) -> Bool {
        add(comparison.left)
        words.append(PlanShape.number(of: comparison.operator) << 8 | comparison.options.rawValue << 16 | 16)
        switch (comparison.right, comparison.operator) {
        case (.path(let path), _):
            add(path)
            return true
        case (.constant(.list(let bounds)), .between):
            for bound in bounds where !add(bound) { return false }
            return true
        case (.constant(let value), _): return add(value)
        }
    }

    /// Adds a constant; its kind alone decides on the statement's text.
    private mutating func add(_ value: Value) -> Bool {
        switch value {
        case .int(let number):
            words.append(20)
            bindings.append(.integer(number))
        case .double(let number) where !number.isNaN:
            words.append(21)
            bindings.append(.double(number))
        case .string(let text):
            words.append(22)
            bindings.append(.text(text))
        case .bool(let flag):
            words.append(23)
            bindings.append(.integer(flag ? 1 : 0))
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
            words.append(24)
            bindings.append(.double(date.timeIntervalSinceReferenceDate))
        case .uuid(let uuid):
            words.append(25)
            bindings.append(.blob(withUnsafeBytes(of: uuid.uuid) { Array($0) }))
        case .objectID(let id) where id.storeUUID == storeUUID:
            words.append(26)
            bindings.append(.integer(id.reference))
        default: return false
        }
        return true
    }

    private mutating func add(_ path: PropertyPath) {
        words.append(path.variable << 32 | (path.leafSlot.map { $0 + 1 } ?? 0) << 8 | path.steps.count)
        for step in path.steps { words.append(step.slot) }
    }

    private mutating func add(_ collection: ResolvedCollection) -> Bool {
        switch collection.origin {
        case .variable(let variable): words.append(variable << 1)
        case .collection(let inner):
            words.append(1)
            guard add(inner) else { return false }
        }
        words.append(collection.variable << 16 | collection.steps.count)
        for step in collection.steps { words.append(step.relationship.index) }
        guard let filter = collection.filter else {
            words.append(17)
            return true
        }
        return add(filter)
    }

    private static func number(of op: QueryComparison.Operator) -> Int {
        switch op {
        case .equal: 0
        case .notEqual: 1
        case .less: 2
        case .lessOrEqual: 3
        case .greater: 4
        case .greaterOrEqual: 5
        case .isIn: 6
        case .between: 7
        case .contains: 8
        case .beginsWith: 9
        case .endsWith: 10
        case .like: 11
        case .matches: 12
        }
    }
}

/// The statements that a connection keeps for plans, by shape.
struct PlanCache {
    private var plans: [PlanShape: PreparedPlan] = [:]
    /// The plan used last, which is often the next one too.
    private var last: (shape: PlanShape, plan: PreparedPlan)?
    private static let capacity = 128

    /// The statement of a shape, `nil` where there is none yet.
    mutating func plan(_ shape: PlanShape) -> PreparedPlan? {
        if let last, last.shape == shape { return last.plan }
        guard let found = plans[shape] else { return nil }
        last = (shape, found)
        return found
    }

    /// Keeps a statement for a shape.
    mutating func keep(_ plan: PreparedPlan, for shape: PlanShape) {
        // All go at once: what is in use comes back soon.
        if plans.count >= PlanCache.capacity { plans = [:] }
        plans[shape] = plan
    }
}
