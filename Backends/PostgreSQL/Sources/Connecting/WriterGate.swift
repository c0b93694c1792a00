import StrataPlatform
import StrataStore
import Synchronization

/// Admits many writers, or one migration, within a process.
///
/// The server's locks do the same for all processes, but a transaction that only writes acquires them at its end: this gate keeps a
/// migration from starting before, which would have ended and closed the store by then.
final class WriterGate: Sendable {
    enum Pass { case writer, migration }

    private struct State {
        var writers = 0
        var isMigrating = false
        /// The number of waiting migrations: no writer overtakes them.
        var waiting = 0
    }

    private let state = Mutex(State())

    /// Runs `begin` as soon as the gate admits it; the caller leaves the gate at the end.
    ///
    /// - Throws: `StoreError` with `locked` after a deadline; what `begin` throws.
    func enter<T>(_ pass: Pass, until deadline: Deadline, _ operation: StoreError.Operation, _ begin: () throws -> T) throws -> T {
        try enter(pass, until: deadline, operation)
        do { return try begin() } catch {
            leave(pass)
            throw error
        }
    }

    private func enter(_ pass: Pass, until deadline: Deadline, _ operation: StoreError.Operation) throws {
        if pass == .migration { state.withLock { $0.waiting += 1 } }
        defer { if pass == .migration { state.withLock { $0.waiting -= 1 } } }
        var pause = Pause()
        while !tryEntering(pass) {
            guard deadline.remaining > 0 else {
                throw StoreError(.locked, operation, "another transaction of the store did not end in time")
            }
            pause.wait()
        }
    }

    private func tryEntering(_ pass: Pass) -> Bool {
        state.withLock { state in
            switch pass {
            case .writer:
                if state.isMigrating || state.waiting > 0 { return false }
                state.writers += 1
            case .migration:
                if state.isMigrating || state.writers > 0 { return false }
                state.isMigrating = true
            }
            return true
        }
    }

    func leave(_ pass: Pass) {
        state.withLock { state in
            switch pass {
            case .writer: state.writers -= 1
            case .migration: state.isMigrating = false
            }
        }
    }
}

/// Waits between repeated attempts, longer each time.
struct Pause {
    private var milliseconds: UInt32 = 5

    mutating func wait() {
        usleep(milliseconds * 1_000)
        milliseconds = min(milliseconds * 2, 250)
    }
}
