import StrataModel
import StrataStore
import Synchronization

/// The snapshots that threads hold open now, by the IDs of their stores.
///
/// A store that is converted meanwhile has the ID of the one before, whose snapshot answers until the thread lets go of
/// it.
final class HeldSnapshots: Sendable {
    // Unchecked: a reader is found and used by the one thread that holds it.
    private struct Held: @unchecked Sendable {
        let readers: [StoreID: any StoreReader]
        /// The state that they are of, where it is one that contexts are pinned to.
        let generation: HeldGeneration?
    }

    private let held = Mutex<[UInt: Held]>([:])
    /// How many threads hold one; spares everyone else the lock.
    private let count = Atomic<Int>(0)

    /// Returns the reader that this thread holds of a store.
    func reader(of store: StoreID) -> (any StoreReader)? {
        if count.load(ordering: .relaxed) == 0 { return nil }
        return held.withLock { $0[CurrentThread.id] }?.readers[store]
    }

    /// Returns whether what this thread reads is of a state that contexts are pinned to.
    func holds(_ generation: HeldGeneration) -> Bool {
        if count.load(ordering: .relaxed) == 0 { return false }
        return held.withLock { $0[CurrentThread.id] }?.generation === generation
    }

    /// Holds readers for this thread while `body` runs; a snapshot that it holds already stays.
    func hold<T>(_ readers: [StoreID: any StoreReader], _ body: () throws -> T) throws -> T {
        try hold({ Held(readers: readers.merging($0?.readers ?? [:]) { $1 }, generation: $0?.generation) }, body)
    }

    /// Holds the readers of a state for this thread while `body` runs, instead of all others.
    func hold<T>(
        _ readers: [StoreID: any StoreReader], of generation: HeldGeneration, _ body: () throws -> T
    ) throws -> T {
        try hold({ _ in Held(readers: readers, generation: generation) }, body)
    }

    private func hold<T>(_ next: (Held?) -> Held, _ body: () throws -> T) throws -> T {
        let thread = CurrentThread.id
        // Nobody else changes what this thread holds.
        let before = held.withLock { $0[thread] }
        let next = next(before)
        held.withLock { $0[thread] = next }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            held.withLock { $0[thread] = before }
        }
        return try body()
    }
}
