import ArgumentParser
import BenchReports
import Foundation

/// What a fresh process runs for the others: one job, an answer in JSON on each line.
struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "measure", shouldDisplay: false)

    @Argument(help: "The job as JSON.")
    var job: String

    func run() async throws {
        // The parent ignores these to clean up; a child must not inherit that.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        let job = try JSONDecoder().decode(Job.self, from: Data(job.utf8))
        let measurement = Measurement { sample in
            guard let line = try? JSONEncoder().encode(sample) else { return }
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
        try await measurement.run(job)
    }
}
