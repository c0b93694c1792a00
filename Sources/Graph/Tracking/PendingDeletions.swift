import StrataModel

/// Deleted objects whose delete rules are still to be followed.
struct PendingDeletions {
    /// A deletion by cascade over a saved relationship: it holds for as long as the member belongs to the owner.
    ///
    /// No version of a row tells that of a link. Elsewhere the optimistic lock does, until a merge or a refresh takes the newer row over.
    struct Cascade {
        let owner: ManagedObject
        let relationship: RelationshipDescription
        let member: ManagedObject
    }

    private var objects: [ManagedObject] = []
    /// The deletions by cascade over saved relationships since the last save.
    private(set) var cascades: [Cascade] = []

    /// Whether any object may have been deleted since the last save that was never saved.
    var includesNewObjects = false

    /// Whether there is none, as far as is known.
    var isEmpty: Bool { objects.isEmpty }

    mutating func add(_ object: ManagedObject) { objects.append(object) }

    /// Returns the objects, the latest first; those whose rules were followed go.
    mutating func next() -> [ManagedObject] {
        objects.removeAll { $0.flags.contains(.propagated) }
        return objects.reversed()
    }

    mutating func remove(_ object: ManagedObject) { objects.removeAll { $0 === object } }

    /// Forgets the objects that are not deleted any more.
    mutating func keepDeleted() { objects.removeAll { !$0.isDeleted } }

    mutating func removeAll() {
        objects = []
        forgetCascades()
    }

    mutating func add(_ cascade: Cascade) { cascades.append(cascade) }

    mutating func forgetCascades() { cascades = [] }
}
