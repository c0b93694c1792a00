import Foundation
import StrataWorkload

/// What a child process is asked to do: the steps of one participant over the files in one directory.
struct Job: Codable {
    enum Work: Codable {
        /// The dataset as a `DatasetFile`, and the parameters as JSON.
        case archive(dataset: URL, parameters: URL)
        /// The synthetic workload with so many events.
        case events(count: Int)
    }

    var work: Work
    var participant: String
    var directory: String
    var steps: [String]
}

/// What a child process measured of one step.
struct Sample: Codable {
    var step: String
    var seconds: Double
    /// The largest resident size during the step.
    var peakBytes = 0
    /// By how much that lies above what the process held before.
    var grownBytes = 0
    /// How much the resident size grew by what the step keeps.
    var keptBytes = 0
    var answer: Answer?
    var failure: String?
}

/// Why a measurement could not be made.
enum MeasurementError: Error, CustomStringConvertible {
    case unknownParticipant(String)
    case unknownStep(String)
    case childFailed(participant: String, steps: [String], status: Int32)

    var description: String {
        switch self {
        case .unknownParticipant(let name): "no participant is called \(name)"
        case .unknownStep(let name): "no step is called \(name)"
        case .childFailed(let participant, let steps, let status):
            "\(participant), \(steps.joined(separator: ", ")): the process ended with status \(status)"
        }
    }
}
