import StrataPlatform
import StrataStore
import Synchronization

/// The snapshots that threads have open, by the IDs of their stores.
///
/// A store that is converted meanwhile has the ID of the one before, whose snapshot answers until the thread releases
/// it.
final class HeldSnapshots: Sendable {
    // Unchecked: only the thread that holds a reader uses it.
    private struct Held: @unchecked Sendable {
        let readers: [StoreID: any StoreReader]
        /// The query generation of the readers, if any.
        let generation: HeldGeneration?
    }

    private let held = Mutex<[UInt: Held]>([:])
    /// The number of threads with a snapshot, which avoids the lock at 0.
    private let count = Atomic<Int>(0)

    private var current: Held? { count.load(ordering: .relaxed) == 0 ? nil : held.withLock { $0[CurrentThread.id] } }

    func reader(of store: StoreID) -> (any StoreReader)? { current?.readers[store] }

    func holds(_ generation: HeldGeneration) -> Bool { current?.generation === generation }

    /// Holds readers for this thread while `body` runs; a snapshot that it has already stays.
    func hold<T>(_ readers: [StoreID: any StoreReader], _ body: () throws -> T) throws -> T {
        try hold({ Held(readers: readers.merging($0?.readers ?? [:]) { $1 }, generation: $0?.generation) }, body)
    }

    /// Holds the readers of a generation for this thread while `body` runs, instead of all others.
    func hold<T>(
        _ readers: [StoreID: any StoreReader], of generation: HeldGeneration, _ body: () throws -> T
    ) throws -> T {
        try hold({ _ in Held(readers: readers, generation: generation) }, body)
    }

    private func hold<T>(_ next: (Held?) -> Held, _ body: () throws -> T) throws -> T {
        let thread = CurrentThread.id
        // No other thread changes this thread's entry.
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

enum CurrentThread {
    /// A number that is unique among running threads.
    static var id: UInt { UInt(bitPattern: pthread_self().hashValue) }
}
