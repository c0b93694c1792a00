/// Lets transactions through together, and a change of the map's size only when none is under way.
///
/// A thread may pass several times: whoever waits to be alone holds newcomers up for a moment only, so that it is never waited for by
/// someone who it waits for.
final class Gate: Sendable {
    private let monitor = Monitor()
    // Touched within the monitor only.
    private nonisolated(unsafe) var inside = 0
    private nonisolated(unsafe) var isClosed = false
    private nonisolated(unsafe) var waiting = 0

    /// Starts a transaction.
    func enter() {
        monitor.exclusively {
            if waiting > 0 && !isClosed {
                let patience = Deadline(after: 0.02)
                while waiting > 0 && !isClosed && monitor.wait(until: patience) {}
            }
            while isClosed { _ = monitor.wait(until: Deadline(after: 1)) }
            inside += 1
        }
    }

    /// Ends a transaction.
    func leave() {
        monitor.exclusively {
            inside -= 1
            if inside == 0 && waiting > 0 { monitor.wake() }
        }
    }

    /// Waits until no transaction is under way and keeps new ones out.
    ///
    /// - Returns: False where the deadline passed before.
    func close(until deadline: Deadline) -> Bool {
        monitor.exclusively {
            waiting += 1
            defer { waiting -= 1 }
            while inside > 0 || isClosed {
                if !monitor.wait(until: deadline) && (inside > 0 || isClosed) {
                    monitor.wake()
                    return false
                }
            }
            isClosed = true
            return true
        }
    }

    /// Lets transactions through again.
    func open() {
        monitor.exclusively {
            isClosed = false
            monitor.wake()
        }
    }
}

/// The turn to write, which one transaction of the process has at a time.
final class Turn: Sendable {
    private let monitor = Monitor()
    // Touched within the monitor only.
    private nonisolated(unsafe) var isTaken = false

    /// Waits for the turn; false where the deadline passed before.
    func take(until deadline: Deadline) -> Bool {
        monitor.exclusively {
            while isTaken {
                if !monitor.wait(until: deadline) && isTaken { return false }
            }
            isTaken = true
            return true
        }
    }

    /// Hands the turn on.
    func give() {
        monitor.exclusively {
            isTaken = false
            monitor.wake()
        }
    }
}
