import StrataModel

/// The objects that were read together last, by entity and store, whose reads are batched.
struct FetchGroups {
    private struct Group {
        let scope: ObjectIDScope
        let references: [Int64]
    }

    private var groups: [ObjectIDScope: Group] = [:]

    /// Records objects that were read together, as far as they share a scope.
    mutating func add(_ ids: some Sequence<ObjectID>) {
        var scope: ObjectIDScope?
        var references: [Int64] = []
        for id in ids where !id.isTemporary {
            if scope == nil { scope = id.scope }
            if id.scope == scope { references.append(id.reference) }
            if references.count == PrefetchPolicy.batchSize { break }
        }
        if let scope, references.count > 1 { groups[scope] = Group(scope: scope, references: references) }
    }

    func references(with id: ObjectID) -> [Int64] {
        guard let group = groups[id.scope], group.references.contains(id.reference) else { return [] }
        return group.references
    }
}
