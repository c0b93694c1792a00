import Foundation

/// Reports on standard error what is being done: one line rewritten in a terminal; elsewhere only the lines that stay.
package final class ProgressOutput {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isQuiet: Bool
    private var total = 0
    private var done = 0

    package init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    /// Starts counting to a total.
    func begin(_ total: Int) {
        self.total = total
        done = 0
    }

    /// Writes a line that stays.
    package func say(_ text: String) { write(text, stays: true) }

    /// Writes what goes on; replaced by what comes next.
    package func update(_ text: String) {
        if isTerminal { write(text, stays: false) }
    }

    /// Counts one step and writes how it went.
    func step(_ text: String) {
        done += 1
        update("[\(done)/\(total)] \(text)")
    }

    /// Writes a line that stays, after how many steps are done.
    func completed(_ text: String) { say("[\(done)/\(total)] \(text)") }

    /// Writes a line of results to standard output, at once.
    package func result(_ line: String) {
        if isQuiet { return }
        if isTerminal { FileHandle.standardError.write(Data(Self.clear.utf8)) }
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private func write(_ text: String, stays: Bool) {
        if isQuiet { return }
        let line = isTerminal ? Self.clear + text + (stays ? "\n" : "") : text + "\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private static let clear = "\r\u{1B}[K"
}
