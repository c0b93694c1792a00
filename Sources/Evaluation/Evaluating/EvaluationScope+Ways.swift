/// The elements of a collection of a row, with the number of paths that end at them.
struct CollectionWays {
    /// The distinct elements, with their numbers of paths.
    fileprivate(set) var elements: [(element: Row, ways: Double)]
    /// The greatest number of paths to the rows of any step.
    fileprivate(set) var most: Double

    var count: Double { elements.reduce(0) { $0 + $1.ways } }
}

typealias CompiledWays = (Row, any RowResolver) throws -> CollectionWays

extension ResolvedCollection {
    /// The greatest number of paths to follow one by one: with more, each row of a step is read once, and paths are
    /// counted.
    private static let mostSingleWays: Double = 1_000_000

    /// Whether the collection follows so many to-many relationships that its paths must be counted, not listed: each may multiply their number.
    public var hasManyWays: Bool { toManySteps > 3 }

    private var toManySteps: Int {
        let own = steps.count { $0.slot == nil }
        switch origin {
        case .variable: return own
        case .collection(let collection): return own + collection.toManySteps
        }
    }

    /// Throws for too many paths to follow one by one.
    static func check(_ ways: Double) throws(QueryError) {
        guard ways > mostSingleWays else { return }
        throw QueryError(
            .tooDeep, subject: "the query",
            "a path through several to-many relationships has \(ways) values, which are too many to list")
    }
}

extension EvaluationScope {
    /// Returns the elements of a collection with the number of paths to each, without following every path.
    func compileWays(_ collection: ResolvedCollection) -> (ways: CompiledWays, scope: EvaluationScope) {
        let (inner, outer) = entering(collection.variable)
        let filter = collection.filter.map { inner.compile($0) }
        let origins = originWays(of: collection)
        let steps = collection.steps
        let ways: CompiledWays = { row, resolver in
            let previous = outer.row
            outer.row = row
            defer { outer.row = previous }
            var level = try origins(row, resolver)
            for step in steps { try level.follow(step, resolver) }
            if let filter { level.elements = try level.elements.filter { try filter($0.element, resolver) } }
            return level
        }
        return (ways, inner)
    }

    private func originWays(of collection: ResolvedCollection) -> CompiledWays {
        switch collection.origin {
        case .collection(let collection): return compileWays(collection).ways
        case .variable(let variable):
            switch source(of: variable) {
            case .argument: return { row, _ in CollectionWays(elements: [(row, 1)], most: 1) }
            case .binding(let binding): return { _, _ in CollectionWays(elements: binding.row.map { [($0, 1)] } ?? [], most: 1) }
            case .nothing: return { _, _ in CollectionWays(elements: [], most: 0) }
            }
        }
    }
}

extension CollectionWays {
    fileprivate mutating func follow(_ step: ResolvedCollection.Step, _ resolver: any RowResolver) throws {
        var indices: [Int64: Int] = [:]
        var next: [(element: Row, ways: Double)] = []
        func add(_ row: Row, _ ways: Double) {
            if let index = indices[row.reference] {
                next[index].ways += ways
            } else {
                indices[row.reference] = next.count
                next.append((row, ways))
            }
        }
        let root = step.destination.root
        for (row, ways) in elements {
            if let slot = step.slot {
                if let reference = row.integer(slot), let row = try resolver.row(root: root, reference: reference) { add(row, ways) }
            } else {
                for row in try resolver.destinations(of: step.relationship, root: root, owner: row) { add(row, ways) }
            }
        }
        elements = next
        most = max(most, count)
    }
}
