import StrataModel

struct PendingDeletions {
    /// A deletion by cascade over a saved relationship, which holds while the member belongs to the owner.
    ///
    /// A link has no version that would tell. Rows have, until a merge or a refresh adopts the newer row.
    struct Cascade {
        let owner: ManagedObject
        let relationship: RelationshipDescription
        let member: ManagedObject
    }

    private var objects: [ManagedObject] = []
    private(set) var cascades: [Cascade] = []

    /// Whether any object may have been deleted since the last save that was never saved.
    var includesNewObjects = false

    var isEmpty: Bool { objects.isEmpty }

    mutating func add(_ object: ManagedObject) { objects.append(object) }

    /// Returns the objects, the latest first, without those whose rules were applied.
    mutating func next() -> [ManagedObject] {
        objects.removeAll { $0.flags.contains(.propagated) }
        return objects.reversed()
    }

    mutating func remove(_ object: ManagedObject) { objects.removeAll { $0 === object } }

    mutating func keepDeleted() { objects.removeAll { !$0.isDeleted } }

    mutating func removeAll() {
        objects = []
        forgetCascades()
    }

    mutating func add(_ cascade: Cascade) { cascades.append(cascade) }

    mutating func forgetCascades() { cascades = [] }
}
