/// Deleted objects whose delete rules are still to be followed.
struct PendingDeletions {
    private var objects: [ManagedObject] = []

    /// Whether there is none, as far as is known.
    var isEmpty: Bool { objects.isEmpty }

    mutating func add(_ object: ManagedObject) { objects.append(object) }

    /// The objects, the latest first; those whose rules were followed go.
    mutating func next() -> [ManagedObject] {
        objects.removeAll { $0.flags.contains(.propagated) }
        return objects.reversed()
    }

    mutating func remove(_ object: ManagedObject) { objects.removeAll { $0 === object } }

    /// Forgets the objects that are not deleted any more.
    mutating func keepDeleted() { objects.removeAll { !$0.isDeleted } }

    mutating func removeAll() { objects = [] }
}
