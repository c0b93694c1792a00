import Foundation
import StrataWorkload

/// What a run of the benchmarks found; written as JSON as it stands.
struct Report: Codable {
    var title: String
    var machine = Machine()
    var facts: [String]
    var notes: [String]
    var tables: [ReportTable]
    var reaches: [ReachResult] = []

    /// Whether every step was done and every answer agrees.
    var isSound: Bool { tables.allSatisfy(\.isSound) }
}

/// Where it ran.
struct Machine: Codable {
    var system = ProcessInfo.processInfo.operatingSystemVersionString
    var processors = ProcessInfo.processInfo.activeProcessorCount
    var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    var date = ISO8601DateFormatter().string(from: Date())
    /// What was measured, with its version.
    var versions = Versions.all
    #if DEBUG
        var build = "debug"
    #else
        var build = "release"
    #endif
}

/// Participants that did the same steps.
struct ReportTable: Codable {
    var title: String
    var steps: [String]
    var participants: [ParticipantResult]
    /// The answers that are known beforehand, or from another table.
    var expected: [String: Answer] = [:]
    /// What each step does, in a line.
    var explanations: [String: String] = [:]

    func participant(_ name: String) -> ParticipantResult? { participants.first { $0.name == name } }

    /// The answer that a step must have: the expected one, else that of the first participant that has one.
    func answer(_ step: String) -> Answer? {
        expected[step] ?? participants.lazy.compactMap { $0.steps[step]?.answer }.first
    }

    /// How many participants answered, and whether all answers are equal.
    func agreement(_ step: String) -> (answers: Int, isEqual: Bool) {
        let results = participants.compactMap { $0.steps[step] }
        let expected = answer(step)
        return (results.filter { $0.answer != nil }.count, results.allSatisfy { $0.failure == nil && $0.answer == expected })
    }

    var isSound: Bool { steps.allSatisfy { agreement($0).isEqual } }

    /// Median against median of the participant's reference.
    func ratio(_ step: String, of participant: ParticipantResult) -> Double? { ratio(step, of: participant, to: participant.reference) }

    /// Median against median of another participant.
    func ratio(_ step: String, of participant: ParticipantResult, to reference: String) -> Double? {
        guard let own = participant.steps[step]?.median, let base = self.participant(reference)?.steps[step]?.median, base > 0 else {
            return nil
        }
        return own / base
    }

    /// How often a step was measured, by whom it was measured least.
    func runs(_ step: String) -> Int { participants.compactMap { $0.steps[step]?.seconds.count }.filter { $0 > 0 }.min() ?? 0 }
}

/// What one participant did.
struct ParticipantResult: Codable {
    var name: String
    var kind: ParticipantKind
    /// The participant that ratios are taken to.
    var reference: String
    /// The files after the first process, which stores everything.
    var fileBytes = 0
    var steps: [String: StepResult] = [:]

    mutating func add(_ sample: Sample) {
        var result = steps[sample.step] ?? StepResult()
        if sample.failure == nil { result.seconds.append(sample.seconds) }
        result.peakBytes = max(result.peakBytes, sample.peakBytes)
        result.keptBytes = max(result.keptBytes, sample.keptBytes)
        if let earlier = result.answer, let answer = sample.answer, earlier != answer {
            result.failure = "the answer differs from run to run"
        }
        result.answer = sample.answer ?? result.answer
        result.failure = sample.failure ?? result.failure
        steps[sample.step] = result
    }

    /// Marks the steps that a process should have answered and did not.
    mutating func fail(_ names: [String], _ reason: String) {
        for name in names where steps[name] == nil { steps[name] = StepResult(failure: reason) }
    }

    /// The largest peak over some steps.
    func peak(_ names: [String]) -> Int { names.compactMap { steps[$0]?.peakBytes }.max() ?? 0 }
}

/// One step of one participant over all runs.
struct StepResult: Codable {
    var seconds: [Double] = []
    var peakBytes = 0
    var keptBytes = 0
    var answer: Answer?
    var failure: String?

    /// The shortest and the longest; `nil` where it was measured once.
    var spread: ClosedRange<Double>? {
        guard seconds.count > 1, let least = seconds.min(), let most = seconds.max() else { return nil }
        return least...most
    }

    var median: Double? {
        let sorted = seconds.sorted()
        if sorted.isEmpty { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
