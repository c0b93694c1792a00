import StrataModel

/// Faults that came together, from one relationship each: when one fires, so will the others.
struct SiblingFaults {
    private static let mostFamilies = 16
    private static let batchSize = 500
    /// The faults that came together, each time some did; the latest last.
    private var families: [Family] = []

    private struct Family {
        var ids: ObjectIDSet
        /// The relationship that they are members of, where they came with one.
        let relationship: RelationshipDescription?
    }

    /// Takes note of the faults among some objects that came together.
    mutating func add(_ objects: [ManagedObject], of relationship: RelationshipDescription?) {
        let faults = objects.filter { $0.row == nil && !$0.isNew }
        guard faults.count > 1 else { return }
        if families.count >= SiblingFaults.mostFamilies { families.removeFirst() }
        families.append(Family(ids: ObjectIDSet(unique: faults.map(\.objectID)), relationship: relationship))
    }

    /// Takes out the faults to fire with an object, some hundreds at a time, those that are still here, and the relationship that they are of.
    mutating func take(with id: ObjectID, _ identity: IdentityMap) -> (faults: [ManagedObject], relationship: RelationshipDescription?) {
        guard let place = families.indices.last(where: { families[$0].ids.remove(id) }) else { return ([], nil) }
        let relationship = families[place].relationship
        // Those that nobody holds any more are made anew, and noted anew, where the relationship is read again.
        let ids = Array(families[place].ids.ids.prefix(SiblingFaults.batchSize - 1))
        families[place].ids.subtract(ids)
        if families[place].ids.isEmpty { families.remove(at: place) }
        return (ids.compactMap { identity[$0] }, relationship)
    }
}
