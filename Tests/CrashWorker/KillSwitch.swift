import StrataPlatform
import Synchronization

/// Ends the process, as `kill -9` does, at the n-th watched step.
final class KillSwitch: Sendable {
    private struct State {
        var target = 0
        var names: [String] = []
    }

    private let state = Mutex(State())

    /// Counts the steps from now on and ends the process right before the n-th.
    func arm(at step: Int) { state.withLock { $0 = State(target: step) } }

    /// Counts no more.
    ///
    /// - Returns: The names of the steps counted.
    func disarm() -> [String] {
        state.withLock { state in
            defer { state.target = 0 }
            return state.names
        }
    }

    func step(_ name: String) {
        let isDue = state.withLock { state in
            guard state.target > 0 else { return false }
            state.names.append(name)
            return state.names.count == state.target
        }
        guard isDue else { return }
        Pipe.write("step \(name)")
        kill(getpid(), SIGKILL)
    }
}

/// The pipe to the parent: whole lines, written at once.
enum Pipe {
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard StrataPlatform.write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
    }
}
