import StrataWorkload

@testable import BenchReports

/// What a participant did that nobody measured: each step with its times.
func result(
    _ name: String, kind: ParticipantKind = .raw, to reference: String = "base", _ steps: [String: [Double]],
    _ answer: Answer? = Answer(count: 1)
) -> ParticipantResult {
    var result = ParticipantResult(name: name, kind: kind, reference: reference)
    for (step, times) in steps {
        for time in times { result.add(Sample(step: step, seconds: time, memory: Sample.Memory(peak: 1_000_000), answer: answer)) }
    }
    return result
}
