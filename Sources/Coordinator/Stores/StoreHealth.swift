public import StrataStore
import Synchronization

/// The health of a store of a coordinator, as the coordinator and the store know it at this moment.
public struct StoreHealth: Sendable {
    /// The ID of the store.
    public let id: StoreID
    /// The kind of store.
    public let type: StoreType
    /// The location of the store.
    public let location: StoreLocation
    /// Whether the store takes saves: it is open for writing, and works.
    public let isWritable: Bool
    /// The nanoseconds from 1970 to the last commit through this coordinator; `nil` before the first.
    public let lastSave: Int64?
    /// The number of saves over several stores whose outcome was unknown when they were last looked for, at opening or at a locked row.
    public let interruptedSaves: Int
    /// What the store knows of itself: its failure, its pools of connections, its replica.
    public let condition: StoreCondition

    /// Whether the store answers and takes work, as far as is known from its last use; the disk or the server may have failed since.
    public var isOpen: Bool { condition.failure == nil }
}

extension PersistentStoreCoordinator {
    /// The health of each store, in their order: a value that is made without any access to files or servers, and without waiting for a
    /// read or save, for probes of a supervisor.
    ///
    /// An empty array is a coordinator whose stores were removed, as by closing its container.
    public var health: [StoreHealth] {
        entries.withLock { $0 }.map { entry in
            var condition = entry.store.condition
            // Stores that look at their files in each save begin to work again by themselves.
            condition.failure = condition.failure ?? entry.activity.failure.withLock { $0 }
            let lastSave = entry.activity.lastSave.load(ordering: .relaxed)
            return StoreHealth(
                id: entry.store.id, type: entry.store.type, location: entry.store.location,
                isWritable: condition.failure == nil && !entry.store.isReadOnly, lastSave: lastSave == 0 ? nil : lastSave,
                interruptedSaves: entry.activity.savesInDoubt.load(ordering: .relaxed), condition: condition)
        }
    }
}
