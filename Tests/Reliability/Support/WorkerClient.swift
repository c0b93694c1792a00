import StrataTestSupport

/// A worker process that does one command after the other, each in a process of its own.
final class WorkerClient: @unchecked Sendable {
    // One thread uses it at a time.
    private let process: ChildProcess
    /// Whether calls can be made to fail.
    let hasShim: Bool

    /// Starts a worker, with the library that injects faults where there is one.
    init(wrapper: [String] = []) throws {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if let shim = FaultShim.path { environment["LD_PRELOAD"] = shim }
        process = try ChildProcess("StrataCrashWorker", ["serve"], wrapper: wrapper, environment: environment)
        let greeting = try process.nextLine()
        guard let greeting, greeting.hasPrefix("ready") else { throw ChildProcess.Failure("the worker says \(greeting ?? "nothing")") }
        hasShim = greeting == "ready shim"
    }

    /// Has a command done.
    func run(_ command: String, _ arguments: [String], plan: String = "") throws -> WorkerReport {
        try process.send(([plan, command] + arguments).joined(separator: "\t"))
        var lines: [String] = []
        while let line = try process.nextLine(within: 100) {
            if line.hasPrefix("end ") { return WorkerReport(lines: lines, end: String(line.dropFirst(4))) }
            lines.append(line)
        }
        throw ChildProcess.Failure("the worker ended: \(lines.suffix(5))")
    }
}

/// What a command reported, and how its process ended: `exit <code>` or `signal <number>`.
struct WorkerReport {
    let lines: [String]
    let end: String

    /// What follows a word in the last line that begins with it.
    func last(_ word: String) -> String? { lines.last { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) } }

    func has(_ line: String) -> Bool { lines.contains(line) }
}
