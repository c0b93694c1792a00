import StrataStore

/// The state of all stores of a coordinator at a moment, held until it is released.
final class HeldGeneration: Sendable {
    /// A store with its snapshot, if it supports any.
    typealias Member = (store: any PersistentStore, snapshot: (any StoreSnapshot)?)

    let members: [Member]
    /// The gate of the coordinator, as its identity: a generation does not retain it.
    private let gate: SnapshotGate

    init(_ members: [Member], of coordinator: PersistentStoreCoordinator) {
        self.members = members
        gate = coordinator.gate
    }

    var count: Int { members.count }

    /// Returns whether the generation is of the stores of a coordinator.
    func isOf(_ coordinator: PersistentStoreCoordinator) -> Bool { gate === coordinator.gate }

    func has(_ store: any PersistentStore) -> Bool { members.contains { $0.store === store } }
}
