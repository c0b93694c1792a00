import StrataStore

/// One state of all stores that a coordinator had at a moment, held until nobody needs it any more.
package final class HeldGeneration: Sendable {
    /// A store with its snapshot; without one where the store cannot hold any.
    struct Member: Sendable {
        let store: any PersistentStore
        let snapshot: (any StoreSnapshot)?
    }

    let members: [Member]
    /// That of the coordinator, which it is known by: a state keeps no coordinator.
    private let gate: SnapshotGate

    init(_ members: [Member], of coordinator: PersistentStoreCoordinator) {
        self.members = members
        gate = coordinator.gate
    }

    /// The number of stores.
    var count: Int { members.count }

    package func isOf(_ coordinator: PersistentStoreCoordinator) -> Bool { gate === coordinator.gate }

    /// Returns whether a store was there.
    func has(_ store: any PersistentStore) -> Bool { members.contains { $0.store === store } }
}
