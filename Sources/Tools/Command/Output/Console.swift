import StrataPlatform
import StrataStoreTool
import Synchronization

/// The standard output, written in blocks, and messages on the standard error.
enum Console {
    private static let output = Mutex(ByteSink(path: "standard output", descriptor: STDOUT_FILENO))

    /// Writes a text and a line's end to the standard output.
    ///
    /// - Throws: `CommandFailure` where it cannot be written.
    static func print(_ text: some StringProtocol) throws {
        try output.withLock { sink in
            try sink.write(text.utf8)
            try sink.write(CollectionOfOne(UInt8(ascii: "\n")))
        }
    }

    /// Writes a line with its end to the standard output.
    ///
    /// - Throws: As ``print(_:)``.
    static func write(_ line: [UInt8]) throws { try output.withLock { try $0.write(line) } }

    /// Writes what is left of the output.
    static func flush() throws { try output.withLock { try $0.flush() } }

    /// Prints an error on the standard error.
    static func report(_ message: String) { note("error: " + message) }

    /// Prints a line on the standard error.
    static func note(_ message: String) {
        writeError(message.escaped(keepingLineEnds: true) + "\n")
    }

    /// Whether a terminal shows the standard error.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Shows the progress of a long command in one line of a terminal; does nothing where no terminal shows the standard error.
    static func progress(_ text: String) {
        guard showsProgress else { return }
        writeError("\r\u{1B}[K\(text)")
    }

    /// Removes the line of the progress.
    static func endProgress() { progress("") }

    private static func writeError(_ text: String) {
        var sink = ByteSink(path: "standard error", descriptor: STDERR_FILENO)
        try? sink.write(text.utf8)
        try? sink.flush()
    }
}
