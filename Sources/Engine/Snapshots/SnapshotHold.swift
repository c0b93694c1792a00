import Synchronization

/// A resource of a held snapshot, as a transaction: used by one thread at a time, until its store or its owner releases
/// it.
public final class SnapshotHold<Resource: Sendable>: Sendable {
    private struct State {
        var resource: Resource?
        var isEnded = false
    }

    private let state: Mutex<State>
    private let release: @Sendable (Resource) -> Void
    private let lock = WriteLock()
    /// The seconds that the end waits for a read under way; after that, the read releases the resource.
    private static var patience: Double { 1 }

    fileprivate init(_ resource: Resource, _ release: @escaping @Sendable (Resource) -> Void) {
        state = Mutex(State(resource: resource))
        self.release = release
    }

    deinit { end() }

    /// Runs `body` with the resource, after other uses.
    ///
    /// - Parameters:
    ///   - ended: The error after the end.
    ///   - body: Uses the resource.
    /// - Throws: What `body` throws.
    public func use<T>(orThrow ended: @autoclosure () -> any Error, _ body: (Resource) throws -> T) throws -> T {
        while !lock.acquire(until: Deadline(after: .infinity)) {}
        defer {
            releaseWhereEnded()
            lock.release()
        }
        let resource = state.withLock { $0.isEnded ? nil : $0.resource }
        guard let resource else { throw ended() }
        return try body(resource)
    }

    fileprivate func end() {
        state.withLock { $0.isEnded = true }
        guard lock.acquire(until: Deadline(after: SnapshotHold.patience)) else { return }
        releaseWhereEnded()
        lock.release()
    }

    /// Called with the lock held.
    private func releaseWhereEnded() {
        let resource = state.withLock { state in
            guard state.isEnded else { return nil as Resource? }
            defer { state.resource = nil }
            return state.resource
        }
        if let resource { release(resource) }
    }
}

/// The held snapshots of one store, which end with it.
public final class SnapshotHolds<Resource: Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var hold: SnapshotHold<Resource>?
    }

    private struct State {
        var holds: [Reference] = []
        var isEnded = false
    }

    private let state = Mutex(State())

    /// Creates an empty set.
    public init() {}

    /// Holds the resource of a snapshot.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - release: Releases it, on any thread, when the hold or the store ends.
    public func hold(_ resource: Resource, release: @escaping @Sendable (Resource) -> Void = { _ in }) -> SnapshotHold<Resource> {
        let hold = SnapshotHold(resource, release)
        let isEnded = state.withLock { state in
            state.holds.removeAll { $0.hold == nil }
            if !state.isEnded { state.holds.append(Reference(hold: hold)) }
            return state.isEnded
        }
        if isEnded { hold.end() }
        return hold
    }

    /// Ends all snapshots, present and future.
    public func end() {
        let holds = state.withLock { state in
            state.isEnded = true
            defer { state.holds = [] }
            return state.holds.compactMap(\.hold)
        }
        for hold in holds { hold.end() }
    }
}
