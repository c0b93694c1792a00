import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Returns this coordinator as a context sees it that is pinned to a generation.
    ///
    /// - Parameter token: What to read; the state at the first read for ``QueryGenerationToken/current``.
    /// - Returns: `nil` where the generation is of another coordinator.
    package func pinned(to token: QueryGenerationToken) -> (any Coordinator)? {
        if let generation = token.generation, !generation.isOf(self) { return nil }
        return PinnedCoordinator(self, token)
    }

    /// Returns this coordinator as a context sees it whose reads the stores may answer by their replicas.
    package func readingFromReplicas() -> any Coordinator { ReplicaCoordinator(self) }

    /// Holds the state that all stores have now.
    ///
    /// A save over several stores through this coordinator is in all of it or in none. A store without snapshots is
    /// read as it is.
    ///
    /// - Throws: `StoreError` where a store cannot be read.
    func holdGeneration() throws -> HeldGeneration {
        let entries = entries.withLock { $0 }
        gate.beginTaking()
        defer { gate.endTaking() }
        return HeldGeneration(try entries.map { ($0.store, try $0.store.holdSnapshot()) }, of: self)
    }

    /// Runs `body`, whose reads on this thread are of a held state, without stores that were removed since; throws what
    /// `body` throws; `StoreError` with `closed` where a store was closed, or another one has its ID, as after a
    /// conversion.
    func reading<T>(_ generation: HeldGeneration, _ body: () throws -> T) throws -> T {
        if snapshots.holds(generation) { return try body() }
        let members = try generation.members.filter { member in
            guard let open = store(id: member.store.id) else { return false }
            if open !== member.store {
                throw StoreError(.closed, .fetch, "the store was converted or opened anew since its state was held", path: open.path)
            }
            return member.snapshot != nil
        }
        return try enter(members[...], [:]) { try snapshots.hold($0, of: generation, body) }
    }

    private func enter<T>(
        _ members: ArraySlice<HeldGeneration.Member>, _ readers: [StoreID: any StoreReader],
        _ body: ([StoreID: any StoreReader]) throws -> T
    ) throws -> T {
        guard let member = members.first, let snapshot = member.snapshot else { return try body(readers) }
        return try snapshot.read { try enter(members.dropFirst(), readers.merging([member.store.id: $0]) { $1 }, body) }
    }

    /// Returns the stores for a plan over a held state, if any: its own, of those with the given IDs; `nil` for all.
    func affectedStores(of generation: HeldGeneration?, _ affectedStores: [StoreID]?) -> [StoreID]? {
        guard let generation else { return affectedStores }
        let late = entries.withLock { entries in
            entries.map(\.store).filter { store in !generation.members.contains { $0.store === store } }
        }
        if late.isEmpty { return affectedStores }
        return (affectedStores ?? stores.map(\.id)).filter { id in !late.contains { $0.id == id } }
    }
}
