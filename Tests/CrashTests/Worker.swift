import Foundation
import Glibc
import Testing

/// A `CrashWorker` process, and what it reported.
final class Worker {
    private let process: pid_t
    private let output: Int32
    private var unread: [UInt8] = []
    private var isAtEnd = false
    private(set) var lines: [String] = []

    /// Starts a process.
    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        // A socket, as it can be made so that no other child inherits it: one that did would hide the end of this one's output.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure("no pipe: \(errno)")
        }
        defer { Glibc.close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var process: pid_t = 0
        let path = try Worker.executable()
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        let code = posix_spawn(&process, path, &actions, nil, words, environ)
        guard code == 0 else {
            Glibc.close(ends[0])
            throw Failure("\(path) does not start: \(code)")
        }
        self.process = process
        output = ends[0]
    }

    deinit {
        kill()
        Glibc.close(output)
    }

    /// The last generation whose save was acknowledged, `nil` where none was since the start.
    var acknowledged: Int? { lines.last { $0.hasPrefix("saved ") }.flatMap { Int($0.dropFirst(6)) } }

    /// Reads until a line of a kind came for the n-th time.
    ///
    /// - Throws: Where the process ends or fails before, or is silent for a minute.
    func wait(for prefix: String, count: Int = 1) throws {
        while lines.count(where: { $0.hasPrefix(prefix) }) < count {
            guard try readMore() else { throw Failure("the worker ended early: \(lines.suffix(3))") }
        }
    }

    /// Kills the process, and reads what it wrote before.
    func kill() {
        Glibc.kill(process, SIGKILL)
        try? waitForEnd()
    }

    /// Reads until the process has ended.
    func waitForEnd() throws {
        while try readMore() {}
        if isReaped { return }
        isReaped = true
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }
    private var isReaped = false

    private func readMore() throws -> Bool {
        if isAtEnd { return false }
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, 60_000)
        if count == -1, errno == EINTR { return true }
        guard count == 1 else { throw Failure("the worker is silent; so far: \(lines.suffix(3))") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = read(output, &buffer, buffer.count)
        if length == -1, errno == EINTR { return true }
        guard length > 0 else {
            isAtEnd = true
            return false
        }
        unread += buffer[..<length]
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: unread[..<end], as: UTF8.self))
            unread.removeSubrange(...end)
        }
        if let failure = lines.first(where: { $0.hasPrefix("failed ") }) { throw Failure(failure) }
        return true
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The path of the worker: it is built beside the tests.
    private static func executable() throws -> String {
        let places = ["/proc/self/exe", CommandLine.arguments[0]].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
        for place in places {
            var directory = place.deletingLastPathComponent()
            while directory.path != "/" {
                let candidate = directory.appendingPathComponent("CrashWorker").path
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory), !isDirectory.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate)
                {
                    return candidate
                }
                directory.deleteLastPathComponent()
            }
        }
        throw Failure("there is no executable CrashWorker beside \(places.map(\.path))")
    }
}
