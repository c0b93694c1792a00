import StrataModel

/// Faults that came together, from one relationship each: when one fires, so will the others.
struct SiblingFaults {
    private static let mostFamilies = 16
    private static let batchSize = 500
    /// The faults that came together, each time some did; the latest last.
    private var families: [Set<ObjectID>] = []

    /// Takes note of the faults among some objects that came together.
    mutating func add(_ objects: [ManagedObject]) {
        let faults = objects.filter { $0.row == nil && !$0.isNew }
        guard faults.count > 1 else { return }
        if families.count >= SiblingFaults.mostFamilies { families.removeFirst() }
        families.append(Set(faults.map(\.objectID)))
    }

    /// Takes out the faults to fire with an object, some hundreds at a time, those that are still here.
    mutating func take(with id: ObjectID, _ identity: IdentityMap) -> [ManagedObject] {
        guard let place = families.lastIndex(where: { $0.contains(id) }) else { return [] }
        families[place].remove(id)
        // Those that nobody holds any more are made anew, and noted anew, where the relationship is read again.
        let ids = Array(families[place].prefix(SiblingFaults.batchSize - 1))
        families[place].subtract(ids)
        if families[place].isEmpty { families.remove(at: place) }
        return ids.compactMap { identity[$0] }
    }
}
