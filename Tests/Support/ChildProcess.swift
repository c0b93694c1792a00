import Foundation
import StrataPlatform

/// An executable of this package in a process of its own, which is told lines and answers lines.
package final class ChildProcess {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }

    private let process: pid_t
    private let connection: Int32
    private var unread: [UInt8] = []
    private var isAtEnd = false
    private var isReaped = false

    /// Starts an executable that was built beside the tests.
    ///
    /// - Parameters:
    ///   - wrapper: A command that is started instead, with the executable's path and arguments at its end.
    ///   - environment: Variables over those of this process.
    package init(_ name: String, _ arguments: [String], wrapper: [String] = [], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [0, 0]
        // A socket, as it can be made so that no other child inherits it: one that did would hide the end of this one's output.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure("no pipe: \(errno)")
        }
        defer { StrataPlatform.close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let command = wrapper + [try ChildProcess.executable(name)] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        var process: pid_t = 0
        let code = ChildProcess.withCStrings(command) { words in
            ChildProcess.withCStrings(variables) { posix_spawnp(&process, command[0], &actions, nil, words, $0) }
        }
        guard code == 0 else {
            StrataPlatform.close(ends[0])
            throw Failure("\(command[0]) does not start: \(code)")
        }
        self.process = process
        connection = ends[0]
    }

    deinit {
        kill()
        StrataPlatform.close(connection)
    }

    /// Writes a line to the process.
    package func send(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        // MSG_NOSIGNAL: a process that is gone shows as an error.
        guard StrataPlatform.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("the process takes no more: \(errno)")
        }
    }

    /// The next line, `nil` where the process has ended.
    ///
    /// - Throws: ``Failure`` where the process is silent for longer than `seconds`.
    package func nextLine(within seconds: Double = 60) throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            if isAtEnd { return nil }
            try readMore(within: seconds)
        }
    }

    /// Kills the process; what it wrote before can still be read.
    package func kill() {
        guard !isReaped else { return }
        StrataPlatform.kill(process, SIGKILL)
        reap()
    }

    /// Waits until the process has ended.
    package func reap() {
        if isReaped { return }
        isReaped = true
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }

    private func readMore(within seconds: Double) throws {
        var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, Int32(seconds * 1000))
        if count == -1, errno == EINTR { return }
        guard count == 1 else { throw Failure("the process is silent") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = read(connection, &buffer, buffer.count)
        if length == -1, errno == EINTR { return }
        guard length > 0 else { return isAtEnd = true }
        unread += buffer[..<length]
    }

    private static func withCStrings<T>(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T) -> T {
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// The path of an executable that was built beside the tests.
    package static func executable(_ name: String) throws -> String {
        let executables = ["/proc/self/exe", CommandLine.arguments[0]].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
        for executable in executables {
            var directory = executable.deletingLastPathComponent()
            while directory.path != "/" {
                let candidate = directory.appendingPathComponent(name).path
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory), !isDirectory.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate)
                {
                    return candidate
                }
                directory.deleteLastPathComponent()
            }
        }
        throw Failure("there is no executable \(name) beside \(executables.map(\.path))")
    }
}
