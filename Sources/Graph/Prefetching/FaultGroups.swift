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

/// The faults that to-one relationships referenced without firing: a program that collects them is about to fire them.
struct ReachedFaults {
    private static let maximum = PrefetchPolicy.batchSize
    private var families: [Family] = []

    private struct Family {
        let scope: ObjectIDScope
        var references: [Int64] = []
        var hasFired = false
    }

    mutating func add(_ id: ObjectID) {
        guard let index = index(of: id) else { return families.append(Family(scope: id.scope, references: [id.reference])) }
        if families[index].references.count == ReachedFaults.maximum { families[index].references.removeFirst(ReachedFaults.maximum / 2) }
        families[index].references.append(id.reference)
    }

    /// Takes the references to fire with one of them, ascending, without its own; none with the first that fires.
    mutating func take(with id: ObjectID) -> [Int64] {
        guard let index = index(of: id), families[index].references.contains(id.reference) else { return [] }
        if !families[index].hasFired {
            families[index].hasFired = true
            return []
        }
        var references = families[index].references
        families[index].references.removeAll(keepingCapacity: true)
        references.sort()
        var last = id.reference
        references.removeAll { reference in
            defer { last = reference }
            return reference == last || reference == id.reference
        }
        return references
    }

    private func index(of id: ObjectID) -> Int? { families.firstIndex { $0.scope == id.scope } }
}
