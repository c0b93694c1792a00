package import StrataWorkload

/// What one participant did.
package struct ParticipantResult: Codable {
    package let name: String
    let kind: ParticipantKind
    /// The participant that ratios are taken to.
    let reference: String
    /// The files after the first process, which stores everything.
    var fileBytes = 0
    package internal(set) var steps: [String: StepResult] = [:]

    package init(name: String, kind: ParticipantKind, reference: String) {
        self.name = name
        self.kind = kind
        self.reference = reference
    }

    package mutating func add(_ sample: Sample) {
        var result = steps[sample.step] ?? StepResult()
        if let counts = sample.counts {
            // What is counted takes longer.
            result.counts = counts
            result.failure = sample.failure ?? result.failure
            steps[sample.step] = result
            return
        }
        if sample.failure == nil { result.seconds.append(sample.seconds) }
        result.peakBytes = max(result.peakBytes, sample.memory.peak)
        result.grownBytes = max(result.grownBytes, sample.memory.grown)
        result.keptBytes = max(result.keptBytes, sample.memory.kept)
        if let earlier = result.answer, let answer = sample.answer, earlier != answer {
            result.failure = "the answer differs from run to run"
        }
        result.answer = sample.answer ?? result.answer
        result.failure = sample.failure ?? result.failure
        steps[sample.step] = result
    }

    /// Adds a sample to its step, and to those that are the same work.
    package mutating func add(_ sample: Sample, _ equivalents: [String: String]) {
        add(sample)
        for (step, measured) in equivalents where measured == sample.step {
            var sample = sample
            sample.step = step
            add(sample)
        }
    }

    /// Marks the steps that a process should have answered and did not.
    mutating func fail(_ names: [String], _ reason: String) {
        for name in names where steps[name] == nil { steps[name] = StepResult(failure: reason) }
    }

    /// The largest peak over some steps.
    func peak(_ names: [String]) -> Int { names.compactMap { steps[$0]?.peakBytes }.max() ?? 0 }
}

/// One step of one participant over all runs.
package struct StepResult: Codable {
    var seconds: [Double] = []
    var peakBytes = 0
    /// By how much the peak lies above what the process held before.
    var grownBytes = 0
    var keptBytes = 0
    package internal(set) var answer: Answer?
    var failure: String?
    var counts: Counts?

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
