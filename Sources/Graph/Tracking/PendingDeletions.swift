import StrataModel

struct PendingDeletions {
    /// A deletion by cascade over a saved relationship, which holds while the member belongs to the owner.
    ///
    /// A link has no version to compare. Rows have, until a merge or a refresh adopts the newer row.
    struct Cascade {
        let owner: ManagedObject
        let relationship: RelationshipDescription
        let member: ManagedObject
    }

    private var list = ObjectList()
    /// The objects of the list.
    private var listed: Set<ObjectIdentifier> = []
    private(set) var cascades: [Cascade] = []

    /// Whether the rules are being applied: their changes may notify observers that fetch.
    var areBeingApplied = false
    /// Whether any object may have been deleted since the last save that was never saved.
    var includesNewObjects = false

    var isEmpty: Bool { list.isEmpty }

    /// Adds an object as the latest one.
    mutating func add(_ object: ManagedObject) {
        if !listed.insert(ObjectIdentifier(object)).inserted { list.remove(object) }
        list.append(object)
    }

    /// Returns the objects, the latest first, without those whose rules were applied.
    mutating func next() -> [ManagedObject] {
        removeAll { $0.flags.contains(.propagated) }
        return list.objects.reversed()
    }

    mutating func remove(_ object: ManagedObject) { if listed.remove(ObjectIdentifier(object)) != nil { list.remove(object) } }

    mutating func keepDeleted() { removeAll { !$0.isDeleted } }

    private mutating func removeAll(where isRemoved: (ManagedObject) -> Bool) {
        list.removeAll(where: isRemoved)
        let kept = list.objects
        if kept.count != listed.count { listed = Set(kept.map { ObjectIdentifier($0) }) }
    }

    mutating func removeAll() {
        (list, listed) = (ObjectList(), [])
        forgetCascades()
    }

    mutating func add(_ cascade: Cascade) { cascades.append(cascade) }

    mutating func forgetCascades() { cascades = [] }
}
