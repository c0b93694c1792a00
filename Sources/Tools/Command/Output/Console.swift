import Foundation
import StrataPlatform
import StrataStoreTool
import Synchronization

/// The standard output, written in blocks, and messages on the standard error.
enum Console {
    private static let pending = Mutex(Data())
    private static let blockSize = 1 << 16

    /// Writes a text and a line's end to the standard output.
    ///
    /// - Throws: `CommandFailure` where it cannot be written.
    static func print(_ text: some StringProtocol) throws {
        try pending.withLock { data in
            data.append(contentsOf: text.utf8)
            data.append(UInt8(ascii: "\n"))
            if data.count >= blockSize { try write(&data) }
        }
    }

    /// Writes what is left of the output.
    static func flush() throws { try pending.withLock { try write(&$0) } }

    /// Prints an error on the standard error.
    static func report(_ message: String) { note("error: " + message) }

    /// Prints a line on the standard error.
    static func note(_ message: String) { try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8)) }

    /// Shows the progress of a long command in one line of a terminal; does nothing where no terminal shows the standard error.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Removes the line of the progress.
    static func endProgress() { progress("") }

    private static func write(_ data: inout Data) throws {
        if data.isEmpty { return }
        defer { data.removeAll(keepingCapacity: true) }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw CommandFailure(.io, "the output cannot be written: \(error)")
        }
    }
}
