import Glibc
import StrataStore
import Synchronization

/// The snapshots that threads hold open just now.
final class HeldSnapshots: Sendable {
    // Unchecked: a reader is found and used by the one thread that holds it.
    private struct Held: @unchecked Sendable {
        let readers: [ObjectIdentifier: any StoreReader]
    }

    private let held = Mutex<[UInt: Held]>([:])
    /// How many threads hold one; spares everyone else the lock.
    private let count = Atomic<Int>(0)

    private static var thread: UInt { UInt(bitPattern: pthread_self().hashValue) }

    /// The reader that this thread holds of a store.
    func reader(of store: any PersistentStore) -> (any StoreReader)? {
        if count.load(ordering: .relaxed) == 0 { return nil }
        return held.withLock { $0[HeldSnapshots.thread] }?.readers[ObjectIdentifier(store)]
    }

    /// Holds readers for this thread while `body` runs; a snapshot that it holds already stays.
    func hold<T>(_ readers: [ObjectIdentifier: any StoreReader], _ body: () throws -> T) throws -> T {
        let thread = HeldSnapshots.thread
        let before = held.withLock { held in
            let before = held[thread]
            held[thread] = Held(readers: readers.merging(before?.readers ?? [:]) { $1 })
            return before
        }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            held.withLock { $0[thread] = before }
        }
        return try body()
    }
}
