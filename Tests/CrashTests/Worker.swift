import StrataTestSupport

/// A `StrataCrashWorker` process, and what it reported.
final class Worker {
    private let process: ChildProcess
    private(set) var lines: [String] = []

    /// Starts a process.
    init(_ arguments: [String]) throws { process = try ChildProcess("StrataCrashWorker", arguments) }

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
        process.kill()
        try? waitForEnd()
    }

    /// Reads until the process has ended.
    func waitForEnd() throws {
        while try readMore() {}
        process.reap()
    }

    private func readMore() throws -> Bool {
        guard let line = try process.nextLine() else { return false }
        lines.append(line)
        if line.hasPrefix("failed ") { throw Failure(line) }
        return true
    }

    typealias Failure = ChildProcess.Failure
}
