import StrataFiles
import Synchronization

/// What a held snapshot of a store needs, as a transaction: used by one thread at a time, until its store ends it or it is released.
public final class SnapshotHold<Resource: Sendable>: Sendable {
    private struct State {
        var resource: Resource?
        var isEnded = false
    }

    private let state: Mutex<State>
    private let release: @Sendable (Resource) -> Void
    private let lock = WriteLock()
    /// For how many seconds the end waits for a read that is under way; where it takes longer, the resource goes with the read.
    private static var patience: Double { 1 }

    fileprivate init(_ resource: Resource, _ release: @escaping @Sendable (Resource) -> Void) {
        state = Mutex(State(resource: resource))
        self.release = release
    }

    deinit { end() }

    /// Runs `body` with the resource, after others that use it.
    ///
    /// - Parameters:
    ///   - ended: What is thrown once it was ended.
    ///   - body: What is done with the resource.
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

    /// Called by the holder of the lock.
    private func releaseWhereEnded() {
        let resource = state.withLock { state in
            guard state.isEnded else { return nil as Resource? }
            defer { state.resource = nil }
            return state.resource
        }
        if let resource { release(resource) }
    }
}

/// The snapshots of one store that are held, which end with it.
public final class SnapshotHolds<Resource: Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var hold: SnapshotHold<Resource>?
    }

    private struct State {
        var holds: [Reference] = []
        var isEnded = false
    }

    private let state = Mutex(State())

    /// None yet.
    public init() {}

    /// Holds what a snapshot needs.
    ///
    /// - Parameters:
    ///   - resource: What the snapshot needs.
    ///   - release: Gives it back, on any thread, when the hold is released or the store ends it.
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

    /// Ends all snapshots, and those that would be held from now on.
    public func end() {
        let holds = state.withLock { state in
            state.isEnded = true
            defer { state.holds = [] }
            return state.holds.compactMap(\.hold)
        }
        for hold in holds { hold.end() }
    }
}
