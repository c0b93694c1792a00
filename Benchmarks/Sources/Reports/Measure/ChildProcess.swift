import Foundation

/// Runs jobs in fresh processes: this executable with its hidden `measure` command.
struct ChildProcess {
    /// The path of a library that the process loads before all others.
    var preloaded: String?

    /// Runs one job, calling `onSample` as each step ends.
    ///
    /// Blocks until the process is gone.
    func run(_ job: Job, onSample: (Sample) -> Void) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.executable)
        var job = job
        job.started = ProcessInfo.processInfo.systemUptime
        let json = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        process.arguments = ["measure", json]
        if let preloaded {
            let environment = ProcessInfo.processInfo.environment
            let libraries = [preloaded] + [environment["LD_PRELOAD"]].compactMap(\.self)
            process.environment = environment.merging(["LD_PRELOAD": libraries.joined(separator: ":")]) { $1 }
        }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var pending = Data()
        while case let piece = output.fileHandleForReading.availableData, !piece.isEmpty {
            pending.append(piece)
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[pending.startIndex..<end]
                pending = Data(pending[pending.index(after: end)...])
                if let sample = try? JSONDecoder().decode(Sample.self, from: Data(line)) { onSample(sample) }
            }
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw MeasurementError.childFailed(participant: job.participant, steps: job.steps, status: process.terminationStatus)
        }
    }

    private static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
}
