import StrataCoordinator
import StrataModel
import StrataStore

/// Decides which to-many relationships have other members, or another order, after a merge.
struct MembershipChanges {
    /// The changed objects that may have left the owners of a relationship.
    private struct Departures {
        var ids: Set<ObjectID> = []
        /// Whether others may have joined any owner.
        var mayBeJoined = false
    }

    private let changes: RemoteChanges
    private let model: ManagedObjectModel
    /// Whether the updated objects include the owners that others joined, with the names of the relationships.
    private let namesOwners: Bool
    /// By relationship.
    private var departures: [ObjectIdentifier: Departures] = [:]

    init(_ changes: RemoteChanges, _ model: ManagedObjectModel, namesOwners: Bool) {
        (self.changes, self.model, self.namesOwners) = (changes, model, namesOwners)
    }

    /// Returns whether the changes may alter a relationship of an object without naming the object.
    ///
    /// - Complexity: O(n) in the changes, once for each relationship, and in the fewer of departures and members.
    mutating func mayAlter(_ relationship: RelationshipDescription, _ state: ToManyState) -> Bool {
        let key = ObjectIdentifier(relationship)
        let departures = departures[key] ?? departures(relationship)
        self.departures[key] = departures
        if departures.mayBeJoined { return true }
        // Its last members are unknown.
        if !state.isLoaded { return !departures.ids.isEmpty }
        return departures.ids.count < state.count
            ? departures.ids.contains(where: state.contains) : state.members.contains(where: departures.ids.contains)
    }

    private func departures(_ relationship: RelationshipDescription) -> Departures {
        let root = model.destination(of: relationship).root
        var departures = Departures()
        guard let inverse = model.inverse(of: relationship)?.name else { return Departures(mayBeJoined: true) }
        departures.ids = Set(changes.deleted.lazy.filter { $0.entity.root == root })
        departures.mayBeJoined = !namesOwners && changes.inserted.contains { $0.entity.root == root }
        for id in changes.updated where id.entity.root == root {
            let names = changes.changedProperties[id]
            guard names?.contains(inverse) != false else { continue }
            departures.ids.insert(id)
            if names == nil || !namesOwners { departures.mayBeJoined = true }
        }
        return departures
    }
}

extension SaveEvent {
    /// Whether the updated objects include all owners that others joined, with the name of the relationship.
    var namesOwners: Bool { !isRemote && !origin.isBatch }
}
