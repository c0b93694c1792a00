/// Objects with changes, in the order of their first change.
struct ChangeList {
    private var list = ObjectList()

    var isEmpty: Bool { list.isEmpty }

    var objects: [ManagedObject] { mutating get { list.objects } }

    /// Returns whether any object meets a condition, without bringing the list up to date.
    func contains(where condition: (ManagedObject) -> Bool) -> Bool {
        list.entries.contains { $0.flags.contains(.listed) && condition($0) }
    }

    mutating func add(_ object: ManagedObject, _ token: ChangeTracker.MutationToken) {
        if object.flags.contains(.listed) { return }
        object.mark(.listed, token)
        list.append(object)
    }

    mutating func remove(_ object: ManagedObject, _ token: ChangeTracker.MutationToken) {
        guard object.flags.contains(.listed) else { return }
        object.mark(clearing: .listed, token)
        list.remove(object)
    }

    mutating func takeAll(_ token: ChangeTracker.MutationToken) -> [ManagedObject] {
        defer { list = ObjectList() }
        for object in objects { object.mark(clearing: .listed, token) }
        return objects
    }
}
