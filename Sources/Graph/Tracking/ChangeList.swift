/// Objects with changes, in the order of their first change.
///
/// Removal takes amortized constant time, as an undo removes thousands of objects one by one: an entry of a longer list
/// is removed when the list is read next, or when half of the entries are to be removed; until then it retains its
/// object.
struct ChangeList {
    /// The greatest number of entries that is searched linearly.
    private static let searchedCount = 32

    private var entries: [ManagedObject] = []
    /// The number of an object's first entries to remove: an object that was added again has another one behind these.
    private var removals: [ObjectIdentifier: Int] = [:]
    private var removalCount = 0

    var objects: [ManagedObject] {
        mutating get {
            if removalCount > 0 { compact() }
            return entries
        }
    }

    mutating func add(_ object: ManagedObject, _ token: ChangeTracker.MutationToken) {
        if object.flags.contains(.listed) { return }
        object.mark(.listed, token)
        entries.append(object)
    }

    mutating func remove(_ object: ManagedObject, _ token: ChangeTracker.MutationToken) {
        guard object.flags.contains(.listed) else { return }
        object.mark(clearing: .listed, token)
        if removalCount == 0 && entries.count <= ChangeList.searchedCount { return entries.removeAll { $0 === object } }
        removals[ObjectIdentifier(object), default: 0] += 1
        removalCount += 1
        if removalCount > entries.count / 2 { compact() }
    }

    private mutating func compact() {
        entries.removeAll { object in
            guard let count = removals[ObjectIdentifier(object)], count > 0 else { return false }
            removals[ObjectIdentifier(object)] = count - 1
            return true
        }
        (removals, removalCount) = ([:], 0)
    }

    mutating func keepChanged(_ token: ChangeTracker.MutationToken) {
        for object in objects where !object.hasChanges { object.mark(clearing: .listed, token) }
        entries.removeAll { !$0.hasChanges }
    }

    mutating func takeAll(_ token: ChangeTracker.MutationToken) -> [ManagedObject] {
        for object in objects { object.mark(clearing: .listed, token) }
        defer { entries = [] }
        return entries
    }
}
