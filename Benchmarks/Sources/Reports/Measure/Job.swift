package import Foundation
package import StrataWorkload

/// What a child process is asked to do: the steps of one participant over the files in one directory.
package struct Job: Codable {
    package enum Work: Codable {
        /// The dataset as a `DatasetFile`, and the parameters as JSON.
        case archive(dataset: URL, parameters: URL)
        /// The synthetic workload with so many events.
        case events(count: Int)
    }

    package var work: Work
    package var participant: String
    package var directory: String
    package var steps: [String]
    /// When the process was started, in the seconds that the system runs.
    package var started: Double?
}

/// What a child process measured of one step.
package struct Sample: Codable {
    /// Resident sizes of the process, in bytes.
    package struct Memory: Codable {
        /// The largest size during the step.
        var peak = 0
        /// By how much that lies above what the process held before.
        var grown = 0
        /// How much the size grew by what the step keeps.
        var kept = 0

        package init(peak: Int = 0, grown: Int = 0, kept: Int = 0) { (self.peak, self.grown, self.kept) = (peak, grown, kept) }
    }

    var step: String
    var seconds: Double
    var memory: Memory
    var answer: Answer?
    var failure: String?
    /// Set where the library that counts is preloaded; the time then is that of counting.
    var counts: Counts?

    package init(
        step: String, seconds: Double, memory: Memory = Memory(), answer: Answer? = nil, failure: String? = nil, counts: Counts? = nil
    ) {
        self.counts = counts
        self.step = step
        self.seconds = seconds
        self.memory = memory
        self.answer = answer
        self.failure = failure
    }
}

/// Why a measurement could not be made.
package enum MeasurementError: Error, CustomStringConvertible {
    case unknownParticipant(String)
    case unknownStep(String)
    case childFailed(participant: String, steps: [String], status: Int32)

    package var description: String {
        switch self {
        case .unknownParticipant(let name): "no participant is called \(name)"
        case .unknownStep(let name): "no step is called \(name)"
        case .childFailed(let participant, let steps, let status):
            "\(participant), \(steps.joined(separator: ", ")): the process ended with status \(status)"
        }
    }
}
