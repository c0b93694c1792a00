/// Visits the elements of a collection of a row, until the body returns false; returns whether all were visited.
typealias CompiledTraversal = (Row, any RowResolver, (Row) throws -> Bool) throws -> Bool

extension EvaluationScope {
    /// Returns a traversal of a collection, and the scope of what is computed of its elements.
    func compile(_ collection: ResolvedCollection) -> (traversal: CompiledTraversal, scope: EvaluationScope) {
        let (inner, outer) = entering(collection.variable)
        let filter = collection.filter.map { inner.compile($0) }
        let origins = origins(of: collection)
        let steps = collection.steps
        let traversal: CompiledTraversal = { row, resolver, body in
            let previous = outer.row
            outer.row = row
            defer { outer.row = previous }
            return try origins(row, resolver) { origin in
                try EvaluationScope.follow(steps[...], from: origin, resolver) { element in
                    if let filter, try !filter(element, resolver) { return true }
                    return try body(element)
                }
            }
        }
        return (traversal, inner)
    }

    /// Returns a traversal of the rows where a collection's steps start.
    private func origins(of collection: ResolvedCollection) -> CompiledTraversal {
        switch collection.origin {
        case .collection(let collection): return compile(collection).traversal
        case .variable(let variable):
            switch source(of: variable) {
            case .argument: return { row, _, body in try body(row) }
            case .binding(let binding): return { _, _, body in try binding.row.map(body) ?? true }
            case .nothing: return { _, _, _ in true }
            }
        }
    }

    /// Visits the ends of all paths along some steps.
    private static func follow(
        _ steps: ArraySlice<ResolvedCollection.Step>, from row: Row, _ resolver: any RowResolver, _ body: (Row) throws -> Bool
    ) throws -> Bool {
        guard let step = steps.first else { return try body(row) }
        let rest = steps.dropFirst()
        guard let slot = step.slot else {
            for next in try resolver.destinations(of: step.relationship, root: step.destination.root, owner: row) {
                if try !follow(rest, from: next, resolver, body) { return false }
            }
            return true
        }
        guard let reference = row.integer(slot), let next = try resolver.row(root: step.destination.root, reference: reference) else {
            return true
        }
        return try follow(rest, from: next, resolver, body)
    }
}
