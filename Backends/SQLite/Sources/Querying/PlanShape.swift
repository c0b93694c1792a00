import StrataSQL

/// A plan without its constants: one statement answers all plans of a shape, with their constants bound.
///
/// A statement is kept only for plans whose constants all become parameters in the same order, which is known when the
/// statement is first compiled.
struct PlanShape: Hashable {
    fileprivate var words: [Int] = []
    /// The constants, in order.
    fileprivate(set) var bindings: [SQLBinding] = []

    /// The shape of a plan; `nil` for one whose statement is compiled each time.
    init?(_ plan: FetchPlan, storeID: StoreID) {
        words.reserveCapacity(16)
        var walk = ShapeWalk(storeID: storeID, sink: self)
        guard walk.add(plan) else { return nil }
        self = walk.sink
    }

    static func == (a: PlanShape, b: PlanShape) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) { hasher.combine(words) }
}

extension PlanShape: ShapeSink {
    fileprivate mutating func take(_ word: Int) -> Bool {
        words.append(word)
        return true
    }

    fileprivate mutating func take(_ binding: SQLBinding) -> Bool {
        bindings.append(binding)
        return true
    }
}

/// Receives the parts of plans that their shapes depend on, and their constants; returns false to end the traversal.
private protocol ShapeSink {
    mutating func take(_ word: Int) -> Bool
    mutating func take(_ binding: SQLBinding) -> Bool
}

/// Binds the constants of a plan while its shape matches a known one.
private struct ShapeBinder: ShapeSink {
    private let words: [Int]
    private let statement: Statement
    private var position = 0
    private var parameter = 0
    /// Whether the whole shape matched.
    var isAtEnd: Bool { position == words.count }

    init(_ plan: PreparedPlan) {
        words = plan.shape?.words ?? []
        statement = plan.statement
    }

    mutating func take(_ word: Int) -> Bool {
        guard position < words.count, words[position] == word else { return false }
        position += 1
        return true
    }

    mutating func take(_ binding: SQLBinding) -> Bool {
        parameter += 1
        // A value that cannot be bound is reported by the caller that binds all of them.
        return (try? statement.bind(binding, at: parameter)) != nil
    }
}

/// Traverses a plan and passes everything that its statement depends on to a sink, and the constants separately.
private struct ShapeWalk<Sink: ShapeSink> {
    let storeID: StoreID
    var sink: Sink

    /// Returns false for a plan whose statement is compiled each time, or when the sink ends the traversal.
    mutating func add(_ plan: FetchPlan) -> Bool {
        switch plan.result {
        case .rows: guard sink.take(0) else { return false }
        case .references: guard sink.take(1) else { return false }
        case .count: guard sink.take(2) else { return false }
        case .groups, .values: return false
        }
        guard sink.take(plan.entity.index.rawValue << 1 | (plan.includesSubentities ? 1 : 0)) else { return false }
        guard sink.take(plan.predicate == nil ? 0 : 1) else { return false }
        if let predicate = plan.predicate, !add(predicate) { return false }
        guard sink.take(plan.sort.count) else { return false }
        for sort in plan.sort {
            guard sink.take(sort.options.rawValue << 2 | (sort.ascending ? 3 : 2)), add(sort.path) else { return false }
        }
        guard sink.take(plan.offset > 0 ? 2 : plan.limit != nil ? 1 : 0) else { return false }
        if case .count = plan.result { return true }
        guard plan.limit != nil || plan.offset > 0 else { return true }
        guard sink.take(.integer(Int64(plan.limit.map { max(0, $0) } ?? -1))) else { return false }
        return plan.offset > 0 ? sink.take(.integer(Int64(plan.offset))) : true
    }

    private mutating func add(_ predicate: ResolvedPredicate) -> Bool {
        switch predicate {
        case .constant(let truth): sink.take(truth ? 10 : 11)
        case .not(let part): sink.take(12) && add(part)
        case .and(let parts): add(parts, 13)
        case .or(let parts): add(parts, 14)
        case .comparison(let comparison): add(comparison)
        case .exists(let collection): sink.take(15) && add(collection)
        case .test: false
        }
    }

    private mutating func add(_ parts: [ResolvedPredicate], _ kind: Int) -> Bool {
        guard sink.take(parts.count << 8 | kind) else { return false }
        for part in parts where !add(part) { return false }
        return true
    }

    private mutating func add(_ comparison: ResolvedComparison) -> Bool {
        let word = ShapeWalk.number(of: comparison.operator) << 8 | comparison.options.rawValue << 16 | 16
        guard add(comparison.left), sink.take(word) else { return false }
        switch (comparison.right, comparison.operator) {
        case (.path(let path), _): return add(path)
        case (.constant(.list(let bounds)), .between):
            for bound in bounds where !add(bound) { return false }
            return true
        case (.constant(let value), _): return add(value)
        }
    }

    /// Adds a constant, of which the kind alone determines the statement's text.
    private mutating func add(_ value: Value) -> Bool {
        switch value {
        case .int(let number): sink.take(20) && sink.take(.integer(number))
        case .double(let number) where !number.isNaN: sink.take(21) && sink.take(.double(number))
        case .string(let text): sink.take(22) && sink.take(.text(text))
        case .bool(let flag): sink.take(23) && sink.take(.integer(flag ? 1 : 0))
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
            sink.take(24) && sink.take(.double(date.timeIntervalSinceReferenceDate))
        case .uuid(let uuid): unsafe sink.take(25) && sink.take(.blob(withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }))
        case .objectID(let id) where id.storeID == storeID: sink.take(26) && sink.take(.integer(id.reference))
        default: false
        }
    }

    private mutating func add(_ path: PropertyPath) -> Bool {
        guard sink.take(path.variable << 32 | (path.leafSlot.map { $0.rawValue + 1 } ?? 0) << 8 | path.steps.count) else { return false }
        for step in path.steps where !sink.take(step.slot.rawValue) { return false }
        return true
    }

    private mutating func add(_ collection: ResolvedCollection) -> Bool {
        switch collection.origin {
        case .variable(let variable): guard sink.take(variable << 1) else { return false }
        case .collection(let inner): guard sink.take(1), add(inner) else { return false }
        }
        guard sink.take(collection.variable << 16 | collection.steps.count) else { return false }
        for step in collection.steps where !sink.take(step.relationship.index) { return false }
        guard let filter = collection.filter else { return sink.take(17) }
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
    /// The plan used last, which is often the next one, too.
    private var last: PreparedPlan?
    private static let capacity = 128

    /// Returns the statement for a plan with its constants bound; `nil` where there is none for its shape yet.
    ///
    /// - Throws: `StoreError` where a constant is too large.
    mutating func bind(_ plan: FetchPlan, storeID: StoreID) throws -> PreparedPlan? {
        if let last, last.bind(plan, storeID) { return last }
        guard let shape = PlanShape(plan, storeID: storeID), let found = plans[shape] else { return nil }
        try found.statement.bind(shape.bindings)
        last = found
        return found
    }

    /// Keeps a statement for the plans of its shape.
    mutating func keep(_ plan: PreparedPlan) {
        guard let shape = plan.shape else { return }
        // All are discarded: those in use are compiled again soon.
        if plans.count >= PlanCache.capacity { plans = [:] }
        if last?.shape == shape { last = nil }
        plans[shape] = plan
    }
}

/// A statement for a plan; one with a shape answers every plan of the shape.
final class PreparedPlan {
    let shape: PlanShape?
    let statement: Statement
    let output: CompiledPlan.Output
    let decoder: RowDecoder

    init(_ shape: PlanShape?, _ statement: Statement, _ output: CompiledPlan.Output, _ decoder: RowDecoder) {
        var shape = shape
        // The values of the plan that it was compiled from.
        shape?.bindings = []
        self.shape = shape
        self.statement = statement
        self.output = output
        self.decoder = decoder
    }

    /// Binds the constants of a plan, unless its shape differs.
    fileprivate func bind(_ plan: FetchPlan, _ storeID: StoreID) -> Bool {
        var walk = ShapeWalk(storeID: storeID, sink: ShapeBinder(self))
        if walk.add(plan) && walk.sink.isAtEnd { return true }
        statement.clear()
        return false
    }
}
