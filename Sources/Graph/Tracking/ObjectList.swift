/// Objects in the order of their first addition.
struct DistinctObjects {
    private(set) var objects: [ManagedObject] = []
    private var known: Set<ObjectIdentifier> = []

    mutating func insert(_ object: ManagedObject) { if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) } }
}

/// Objects in the order of their addition.
///
/// Removal takes amortized constant time, as an undo removes thousands of objects one by one: an entry of a longer list
/// is removed when the list is read next, or when half of the entries are to be removed; until then it retains its
/// object.
struct ObjectList {
    /// The greatest number of entries that is searched linearly.
    private static let searchedCount = 32

    /// The entries, with those that are to be removed.
    private(set) var entries: [ManagedObject] = []
    /// The number of an object's first entries to remove: an object that was added again has another one behind these.
    private var removals: [ObjectIdentifier: Int] = [:]
    private var removalCount = 0

    var isEmpty: Bool { count == 0 }

    var count: Int { entries.count - removalCount }

    var objects: [ManagedObject] {
        mutating get {
            if removalCount > 0 { compact() }
            return entries
        }
    }

    /// Adds an object that is not in the list.
    mutating func append(_ object: ManagedObject) { entries.append(object) }

    /// Removes an object that is in the list.
    mutating func remove(_ object: ManagedObject) {
        if removalCount == 0 && entries.count <= ObjectList.searchedCount { return entries.removeAll { $0 === object } }
        removals[ObjectIdentifier(object), default: 0] += 1
        removalCount += 1
        if removalCount > entries.count / 2 { compact() }
    }

    mutating func removeAll(where isRemoved: (ManagedObject) -> Bool) {
        if removalCount > 0 { compact() }
        entries.removeAll(where: isRemoved)
    }

    private mutating func compact() {
        entries.removeAll { object in
            guard let count = removals[ObjectIdentifier(object)], count > 0 else { return false }
            removals[ObjectIdentifier(object)] = count - 1
            return true
        }
        (removals, removalCount) = ([:], 0)
    }
}
