import Foundation
import StrataPlatform
import StrataTestSupport

/// The command in a pseudo-terminal: a test types, and waits for what is shown.
final class Terminal {
    private let process = Process()
    private let control: Int32
    private var shown = ""

    /// Starts the command.
    init(_ arguments: [String], home: String, pager: String = "cat") throws {
        var (control, end): (Int32, Int32) = (-1, -1)
        guard openpty(&control, &end, nil, nil, nil) == 0 else { throw ChildProcess.Failure("no pseudo-terminal: \(errno)") }
        self.control = control
        // No other child keeps it open.
        _ = fcntl(control, F_SETFD, FD_CLOEXEC)
        defer { close(end) }
        process.executableURL = URL(filePath: try ChildProcess.executable("strata"))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HOME": home, "PAGER": pager, "TERM": "xterm"]) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle(fileDescriptor: end), FileHandle(fileDescriptor: end), FileHandle(fileDescriptor: end)
        )
        try process.run()
    }

    /// Starts the shell of a store, and waits for its prompt.
    convenience init(shellOf shop: Shop, pager: String = "cat") throws {
        try self.init(["shell", shop.path], home: shop.directory.path, pager: pager)
        _ = try wait(for: "strata> ")
    }

    deinit {
        process.terminate()
        close(control)
    }

    /// Types a text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(control, bytes, bytes.count)
    }

    /// Waits until a text is shown, and returns what was shown up to its end since the last call.
    ///
    /// - Throws: `ChildProcess.Failure` where it does not come, with what came.
    func wait(for text: String) throws -> String {
        while true {
            if let range = shown.range(of: text) {
                defer { shown.removeSubrange(..<range.upperBound) }
                return String(shown[..<range.upperBound])
            }
            var poll = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            guard StrataPlatform.poll(&poll, 1, 60_000) > 0 else { throw ChildProcess.Failure("\(text) is not shown: \(shown)") }
            let count = read(control, &buffer, buffer.count)
            guard count > 0 else { throw ChildProcess.Failure("the command ended before \(text): \(shown)") }
            shown += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Waits for the end of the command, and returns its exit code.
    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
