/// Deleted objects whose delete rules are still to be followed.
struct PendingDeletions {
    private var objects: [ManagedObject] = []

    /// Whether there is none, as far as is known.
    var isEmpty: Bool { objects.isEmpty }

    mutating func add(_ object: ManagedObject) { objects.append(object) }

    /// The object that came last; those whose rules were followed go.
    mutating func next() -> ManagedObject? {
        while let object = objects.last {
            if !object.flags.contains(.propagated) { return object }
            objects.removeLast()
        }
        return nil
    }

    mutating func remove(_ object: ManagedObject) { objects.removeAll { $0 === object } }

    /// Forgets the objects that are not deleted any more.
    mutating func keepDeleted() { objects.removeAll { !$0.isDeleted } }

    mutating func removeAll() { objects = [] }
}
