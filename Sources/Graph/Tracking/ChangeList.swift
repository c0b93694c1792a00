/// Objects with changes, each once, in the order of their first change.
struct ChangeList {
    private(set) var objects: [ManagedObject] = []

    /// Adds an object that is not on the list.
    mutating func add(_ object: ManagedObject, _ pass: ChangeTracker.Pass) {
        if object.flags.contains(.listed) { return }
        object.mark(.listed, pass)
        objects.append(object)
    }

    /// Removes an object where it is on the list.
    mutating func remove(_ object: ManagedObject, _ pass: ChangeTracker.Pass) {
        guard object.flags.contains(.listed) else { return }
        objects.removeAll { $0 === object }
        object.mark(clearing: .listed, pass)
    }

    /// Removes the objects that have no changes any more.
    mutating func keepChanged(_ pass: ChangeTracker.Pass) {
        for object in objects where !object.hasChanges { object.mark(clearing: .listed, pass) }
        objects.removeAll { !$0.hasChanges }
    }

    /// Empties the list, and returns what was on it.
    mutating func takeAll(_ pass: ChangeTracker.Pass) -> [ManagedObject] {
        for object in objects { object.mark(clearing: .listed, pass) }
        defer { objects = [] }
        return objects
    }
}
