import StrataFiles

/// Admits transactions concurrently, a change of the map's size exclusively, and none once it has ended.
///
/// The environment's handle is used between ``enter()`` and ``leave()``, or while the gate is closed: so never after it
/// was freed. A thread may enter several times: a closing thread holds newcomers up for a moment only, so that it never
/// waits for a thread that waits for it.
final class Gate: Sendable {
    /// The result of an attempt to close the gate.
    enum Closing {
        case closed
        /// The deadline passed before.
        case late
        case ended
    }

    private let monitor = Monitor()
    // Unsafe to the compiler alone: the monitor is a lock, and the four are accessed while it is held.
    private nonisolated(unsafe) var inside = 0
    private nonisolated(unsafe) var isClosed = false
    private nonisolated(unsafe) var hasEnded = false
    private nonisolated(unsafe) var waiting = 0

    /// Starts a transaction; false once the gate has ended.
    func enter() -> Bool {
        monitor.exclusively {
            if unsafe waiting > 0 && !isClosed {
                let patience = Deadline(after: 0.02)
                while unsafe waiting > 0 && !isClosed && monitor.wait(until: patience) {}
            }
            while unsafe isClosed && !hasEnded { _ = monitor.wait(until: Deadline(after: 1)) }
            if unsafe hasEnded { return false }
            unsafe inside += 1
            return true
        }
    }

    /// Ends a transaction; true for the last one.
    func leave() -> Bool {
        monitor.exclusively {
            unsafe inside -= 1
            if unsafe inside == 0 && waiting > 0 { monitor.wake() }
            return unsafe inside == 0
        }
    }

    /// Waits until no transaction is in progress and keeps new ones out.
    func close(until deadline: Deadline) -> Closing {
        monitor.exclusively {
            unsafe waiting += 1
            defer { unsafe waiting -= 1 }
            while unsafe inside > 0 || isClosed {
                if unsafe hasEnded { return .ended }
                if unsafe !monitor.wait(until: deadline) && (inside > 0 || isClosed) {
                    monitor.wake()
                    return unsafe hasEnded ? .ended : .late
                }
            }
            unsafe isClosed = true
            return .closed
        }
    }

    /// Lets transactions through again.
    func open() {
        monitor.exclusively {
            unsafe isClosed = false
            monitor.wake()
        }
    }

    /// Ends the gate; false, without effect, while a transaction is in progress.
    func end() -> Bool {
        monitor.exclusively {
            guard unsafe inside == 0, unsafe !isClosed else { return false }
            unsafe (isClosed, hasEnded) = (true, true)
            monitor.wake()
            return true
        }
    }

    /// Waits for the end; false if the deadline passed before.
    func waitForEnd(until deadline: Deadline) -> Bool {
        monitor.exclusively {
            unsafe waiting += 1
            defer { unsafe waiting -= 1 }
            while unsafe !hasEnded {
                if !monitor.wait(until: deadline) { return unsafe hasEnded }
            }
            return true
        }
    }
}
