/// The indexes of changed objects, once they were searched repeatedly.
struct ChangeIndexes {
    /// The objects by what they reference.
    var referrers: ReferrerIndex?
    /// The number of searches without that index.
    var searches = 0
    /// The objects by the values of attributes.
    var pending: PendingIndex?

    mutating func drop() {
        if referrers != nil { referrers = nil }
        searches = 0
        pending?.forgetObjects()
    }
}

/// Objects with changes, in the order of their first change.
struct ChangeList {
    private var list = ObjectList()
    var indexes = ChangeIndexes()

    var isEmpty: Bool { list.isEmpty }

    var count: Int { list.count }

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
        let objects = objects
        objects.forEachUncounted { $0.mark(clearing: .listed, token) }
        return objects
    }
}
