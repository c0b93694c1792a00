import StrataModel

/// The faults that were read together, as members of one relationship each: when one fires, all do.
struct FaultGroups {
    private var groups: [Group] = []

    private struct Group {
        var ids: ObjectIDSet
        /// The relationship that they are members of, if any.
        let relationship: RelationshipDescription?
    }

    /// Records the faults among some objects that were read together.
    mutating func add(_ objects: [ManagedObject], of relationship: RelationshipDescription?) {
        let faults = objects.filter { $0.row == nil && !$0.isNew }
        guard faults.count > 1 else { return }
        if groups.count >= PrefetchPolicy.maximumGroups { groups.removeFirst() }
        groups.append(Group(ids: ObjectIDSet(unique: faults.map(\.objectID)), relationship: relationship))
    }

    /// Takes registered faults to fire with an object, up to a batch, and the relationship that they are members of.
    mutating func take(with id: ObjectID, _ identity: IdentityMap) -> (faults: [ManagedObject], relationship: RelationshipDescription?) {
        guard let index = groups.indices.last(where: { groups[$0].ids.remove(id) }) else { return ([], nil) }
        let relationship = groups[index].relationship
        // Deallocated objects are recorded again where the relationship is read again.
        let ids = Array(groups[index].ids.ids.prefix(PrefetchPolicy.groupBatchSize - 1))
        groups[index].ids.subtract(ids)
        if groups[index].ids.isEmpty { groups.remove(at: index) }
        return (ids.compactMap { identity[$0] }, relationship)
    }
}
