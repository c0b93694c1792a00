/// Answers a plan over a snapshot, in all its parts: finds the rows that it has to look at by way of a ``RowPlanner``,
/// tests, sorts and groups them where they lie, and copies only those that it hands out.
///
/// ```swift
/// func execute(_ plan: FetchPlan) throws -> StoreAnswer { try PlanRunner(plan, source).run() }
/// ```
// Inlinable, so that a source's rows cost no more than a loop over them.
public final class PlanRunner<Source: RowSource> {
    @usableFromInline let plan: FetchPlan
    @usableFromInline let source: Source
    /// The source, for tests of rows: a box made once.
    @usableFromInline let resolver: any RowResolver
    @usableFromInline let path: RowPlan
    @usableFromInline let slice: ResultSlice
    /// The entities whose rows count.
    @usableFromInline let entities: Range<EntityIndex>
    /// Whether the plan reads outlying values.
    @usableFromInline let completes: Bool
    @usableFromInline var rowsRead: Int
    /// Whether the rows were found by an index in their order.
    @usableFromInline var isTraversed = false

    /// Finds the access path to the rows.
    ///
    /// - Throws: What reading the source's indexes throws.
    @inlinable
    public init(_ plan: FetchPlan, _ source: Source) throws {
        self.plan = plan
        self.source = source
        resolver = source
        slice = plan.slice
        entities = plan.entities
        var planner = RowPlanner(source)
        path = try planner.plan(plan)
        let outlying = planner.outlyingSlots[plan.entity.root] ?? source.outlyingSlots(root: plan.entity.root)
        completes = !outlying.isEmpty && outlying.areMet(by: plan.forEachPath)
        rowsRead = planner.rowsRead
    }

    @usableFromInline var root: EntityIndex { plan.entity.root }

    /// Returns the complete answer.
    ///
    /// - Throws: What the source throws; `QueryError` for values that an expression cannot take.
    @inlinable
    public func run() throws -> StoreAnswer {
        defer { StoreReading.note(rowsRead: rowsRead) }
        switch plan.result {
        case .count: return .count(slice(try count()))
        case .references:
            return .references(
                try found { stored in
                    let row = source.row(stored)
                    return ObjectReference(entity: row.entityIndex, reference: row.reference)
                })
        case .rows:
            if Source.rowsOutliveSnapshot { return .rows(try found { source.row($0) }, .nothing) }
            var writer = RowWriter(chunkSize: chunkSize)
            return .rows(try found { try source.copy($0, &writer) }, .nothing)
        case .groups(let grouping):
            var grouper = RowGrouper(grouping)
            try visit { stored in
                try grouper.add(source.row(stored), resolver)
                return true
            }
            return .groups(grouper.groups)
        case .values:
            let rows = try sorted(ResultSlice()).map { source.row($0) }
            return try PlanEvaluator.finish(plan, rows, remainder: Remainder(needsSlice: true), with: resolver)
        }
    }

    /// Answers the plan, and returns its explanation.
    ///
    /// - Throws: As ``run()``, which it calls.
    public func explanation() throws -> PlanExplanation {
        _ = try run()
        let traversal = isTraversed ? path.traversal : nil
        var explanation = PlanExplanation(access: traversal.map { [.index($0.match.index.name)] } ?? path.path, rowsRead: rowsRead)
        explanation.decided = plan.predicate?.conjuncts.map(\.description) ?? []
        explanation.tested = (traversal?.rest ?? path.rest).map(\.description)
        explanation.isSorted = true
        explanation.isSliced = true
        explanation.isComputed = true
        return explanation
    }

    /// The size of the memory that rows are copied to: few rows must not keep much of it alive.
    @usableFromInline var chunkSize: Int {
        let count = min(path.traversal == nil ? path.cost : .max, slice.end() ?? .max)
        return count <= 1 ? 1024 : count < 64 ? 16 << 10 : 256 << 10
    }

    // MARK: - Testing rows

    /// Visits the passing rows, by ascending reference, until `body` returns false.
    @inlinable
    func visit(_ body: (Source.Stored) throws -> Bool) throws {
        let isWhole = path.holds(only: entities, ofHierarchy: plan.entity)
        // Every call between a row and its consumer, and every reference counted there, costs as much as the consumer.
        guard let predicate = path.residual else {
            if isWhole, !completes { return try visitAll(body) }
            return try visitAll { stored in
                guard isWhole || isCounted(stored) else { return true }
                return try completes ? body(source.complete(stored)) : body(stored)
            }
        }
        let residual = RowPredicate(predicate)
        try visitAll { stored in
            guard isWhole || isCounted(stored) else { return true }
            return try passing(stored, residual, body)
        }
    }

    /// Visits the rows of the access path, passing or not.
    @inlinable @inline(__always)
    func visitAll(_ body: (Source.Stored) throws -> Bool) throws {
        var seen = 0
        defer { rowsRead += seen }
        func look(_ stored: Source.Stored) throws -> Bool {
            seen += 1
            return try body(stored)
        }
        switch path.access {
        case .nothing: break
        case .scan(let first): if let first { try source.scan(root: root, from: first, look) } else { try source.scan(root: root, look) }
        case .references(let references): try source.visit(root: root, references, look)
        case .index(_, let part): try source.visit(root: root, try part.references(), look)
        }
    }

    @inlinable @inline(__always)
    func isCounted(_ stored: Source.Stored) -> Bool { entities.contains(source.row(stored).entityIndex) }

    /// Passes a row on that passes the test.
    @inlinable @inline(__always)
    func passing(_ stored: Source.Stored, _ residual: RowPredicate, _ body: (Source.Stored) throws -> Bool) throws -> Bool {
        if completes {
            let stored = try source.complete(stored)
            return try residual.passes(source.row(stored), resolver) ? body(stored) : true
        }
        return try residual.passes(source.row(stored), resolver) ? body(stored) : true
    }

    @inlinable
    func count() throws -> Int {
        if path.rest.isEmpty {
            if case .scan(nil) = path.access, let count = try source.count(entities, root: root) { return count }
            if case .index(let match, let part) = path.access, match.index.entities == entities { return try part.count(upTo: .max) }
        }
        var count = 0
        try visit { _ in
            count += 1
            return true
        }
        return count
    }

    // MARK: - Results

    /// Returns the results for the rows that offset and limit leave, in the plan's order.
    @inlinable
    func found<Result>(_ make: (Source.Stored) throws -> Result) throws -> [Result] {
        let end = slice.end() ?? .max
        var results: [Result] = []
        if end == 0 {
            isTraversed = path.traversal != nil
            return results
        }
        if slice.limit == nil, path.rest.isEmpty { results.reserveCapacity(path.cost) }
        if plan.sort.isEmpty, slice.isWhole {
            try visit { stored in
                results.append(try make(stored))
                return true
            }
            return results
        }
        var passed = 0
        func take(_ stored: Source.Stored) throws -> Bool {
            passed += 1
            if passed > slice.offset { results.append(try make(stored)) }
            return passed < end
        }
        if plan.sort.isEmpty {
            try visit(take)
            return results
        }
        if let traversal = path.traversal, !RowSorting.needsAvailableBytes(plan.sort) {
            isTraversed = try visit(along: traversal, take)
            if isTraversed { return results }
        }
        return try sorted(slice).map(make)
    }

    /// Returns the passing rows in the plan's order, sliced.
    @inlinable
    func sorted(_ slice: ResultSlice) throws -> [Source.Stored] {
        var found: [Source.Stored] = []
        if path.rest.isEmpty { found.reserveCapacity(path.cost) }
        try visit { stored in
            found.append(stored)
            return true
        }
        if plan.sort.isEmpty { return slice(found) }
        // Without conversion where the source stores rows.
        let rows = found as? [Row] ?? found.map { source.row($0) }
        return slice(try RowSorting.positions(rows, plan.sort, resolver, first: slice.end())).map { found[$0] }
    }

    // MARK: - Along an index

    /// Visits the passing rows along an index, until `body` returns false; rows of equal keys by reference.
    ///
    /// - Returns: False where the index is not ordered, or the budget for the traversal ran out; then the visits are
    ///   void.
    @inlinable
    func visit(along traversal: RowPlan.Traversal, _ body: (Source.Stored) throws -> Bool) throws -> Bool {
        let residual = RowPlan.conjunction(of: traversal.rest).map { RowPredicate($0) }
        let isWhole = traversal.match.index.entities == entities
        let elements = traversal.match.index.elements.prefix(traversal.order.elements)
        // Further elements of the index are not part of the order, and a backward traversal may reverse the references.
        let needsRuns =
            elements.count < traversal.match.index.elements.count || (traversal.order.isBackward && !Source.traversesBackwardByReference)
        let budget = traversal.budget ?? .max
        var run: [Source.Stored] = []
        var (seen, continues) = (0, true)
        defer { rowsRead += seen }
        func finishRun() throws {
            if run.count > 1 { run.sort { source.row($0).reference < source.row($1).reference } }
            for stored in run where continues { continues = try body(stored) }
            run.removeAll(keepingCapacity: true)
        }
        func take(_ stored: Source.Stored) throws -> Bool {
            guard needsRuns else {
                continues = try body(stored)
                return continues
            }
            if let last = run.last, !KeyWord.areEqual(source.row(last), source.row(stored), elements) { try finishRun() }
            run.append(stored)
            return continues
        }
        let isOrdered = try source.traverse(traversal.part, root: root, isBackward: traversal.order.isBackward) { stored in
            seen += 1
            if seen > budget { return false }
            guard isWhole || isCounted(stored) else { return true }
            if let residual { return try passing(stored, residual, take) }
            return try take(completes ? source.complete(stored) : stored)
        }
        guard isOrdered, seen <= budget else { return false }
        if continues { try finishRun() }
        return true
    }
}
