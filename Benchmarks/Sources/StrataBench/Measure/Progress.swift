import Foundation

/// Says on standard error what is being done: one line rewritten in a terminal, lines elsewhere.
final class Progress {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isQuiet: Bool
    private var total = 0
    private var done = 0

    init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    /// Starts counting to a total.
    func begin(_ total: Int) {
        self.total = total
        done = 0
    }

    /// Says what has begun.
    func say(_ text: String) { write(text, stays: true) }

    /// Says what goes on; replaced by what comes next.
    func update(_ text: String) {
        if isTerminal { write(text, stays: false) }
    }

    /// Counts one step and says how it went.
    func step(_ text: String) {
        done += 1
        write("[\(done)/\(total)] \(text)", stays: !isTerminal || done == total)
    }

    private func write(_ text: String, stays: Bool) {
        if isQuiet { return }
        let line = isTerminal ? "\r\u{1B}[K" + text + (stays ? "\n" : "") : text + "\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
