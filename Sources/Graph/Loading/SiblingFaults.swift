import StrataModel

/// Faults that came together, from one relationship each: when one fires, so will the others.
struct SiblingFaults {
    private static let mostFamilies = 16
    private static let batchSize = 500
    /// The faults that came together, each time some did; the latest last.
    private var families: [ObjectIDSet] = []

    /// Takes note of the faults among some objects that came together.
    mutating func add(_ objects: [ManagedObject]) {
        let faults = objects.filter { $0.row == nil && !$0.isNew }
        guard faults.count > 1 else { return }
        if families.count >= SiblingFaults.mostFamilies { families.removeFirst() }
        families.append(ObjectIDSet(unique: faults.map(\.objectID)))
    }

    /// Takes out the faults to fire with an object, some hundreds at a time, those that are still here.
    mutating func take(with id: ObjectID, _ identity: IdentityMap) -> [ManagedObject] {
        guard let place = families.indices.last(where: { families[$0].remove(id) }) else { return [] }
        // Those that nobody holds any more are made anew, and noted anew, where the relationship is read again.
        let ids = Array(families[place].ids.prefix(SiblingFaults.batchSize - 1))
        families[place].subtract(ids)
        if families[place].isEmpty { families.remove(at: place) }
        return ids.compactMap { identity[$0] }
    }
}
