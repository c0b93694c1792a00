import StrataEngine

/// Lets transactions through together, a change of the map's size only when none is under way, and nobody once it has ended.
///
/// What uses the environment's handle does so between ``enter()`` and ``leave()``, or while the gate is closed: so nothing uses it after it
/// was freed. A thread may pass several times: whoever waits to be alone holds newcomers up for a moment only, so that it is never waited
/// for by someone who it waits for.
final class Gate: Sendable {
    /// How an attempt to be alone came out.
    enum Closing {
        case closed
        /// The deadline passed before.
        case late
        /// The gate has ended.
        case ended
    }

    private let monitor = Monitor()
    // Touched within the monitor only.
    private nonisolated(unsafe) var inside = 0
    private nonisolated(unsafe) var isClosed = false
    private nonisolated(unsafe) var hasEnded = false
    private nonisolated(unsafe) var waiting = 0

    /// Starts a transaction; false once the gate has ended.
    func enter() -> Bool {
        monitor.exclusively {
            if waiting > 0 && !isClosed {
                let patience = Deadline(after: 0.02)
                while waiting > 0 && !isClosed && monitor.wait(until: patience) {}
            }
            while isClosed && !hasEnded { _ = monitor.wait(until: Deadline(after: 1)) }
            if hasEnded { return false }
            inside += 1
            return true
        }
    }

    /// Ends a transaction; true where none is left.
    func leave() -> Bool {
        monitor.exclusively {
            inside -= 1
            if inside == 0 && waiting > 0 { monitor.wake() }
            return inside == 0
        }
    }

    /// Waits until no transaction is under way and keeps new ones out.
    func close(until deadline: Deadline) -> Closing {
        monitor.exclusively {
            waiting += 1
            defer { waiting -= 1 }
            while inside > 0 || isClosed {
                if hasEnded { return .ended }
                if !monitor.wait(until: deadline) && (inside > 0 || isClosed) {
                    monitor.wake()
                    return hasEnded ? .ended : .late
                }
            }
            isClosed = true
            return .closed
        }
    }

    /// Lets transactions through again.
    func open() {
        monitor.exclusively {
            isClosed = false
            monitor.wake()
        }
    }

    /// Keeps everybody out for ever; false, and nothing done, while a transaction is under way.
    func end() -> Bool {
        monitor.exclusively {
            guard inside == 0, !isClosed else { return false }
            (isClosed, hasEnded) = (true, true)
            monitor.wake()
            return true
        }
    }

    /// Waits for the end; false where the deadline passed before.
    func waitForEnd(until deadline: Deadline) -> Bool {
        monitor.exclusively {
            waiting += 1
            defer { waiting -= 1 }
            while !hasEnded {
                if !monitor.wait(until: deadline) { return hasEnded }
            }
            return true
        }
    }
}
