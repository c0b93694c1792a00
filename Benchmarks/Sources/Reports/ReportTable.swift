package import StrataWorkload

/// Participants that did the same steps.
package struct ReportTable: Codable {
    var title: String
    var steps: [String]
    var participants: [ParticipantResult]
    /// The answers that are known beforehand, or from another table.
    package var expected: [String: Answer] = [:]
    /// What each step does, in a line.
    var explanations: [String: String] = [:]
    /// The steps that change files.
    var writing: Set<String> = []
    /// The bytes of the values that are stored, without any layout; 0 where that is not told.
    package var rowBytes = 0
    /// Set where steps have several rows.
    var growth: Growth?

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

    /// Median against median of another participant; `nil` where one of them is too short.
    func ratio(_ step: String, of participant: ParticipantResult, to reference: String) -> Double? {
        guard let own = participant.steps[step]?.median, let base = self.participant(reference)?.steps[step]?.median,
            // What an object costs was measured over many of them.
            growth != nil ? base > 0 : min(own, base) >= Self.shortest
        else { return nil }
        return own / base
    }

    /// The shortest time that ratios are taken of, in seconds: below it, caches and the clock make more than the work.
    static let shortest = 0.001

    /// The participants by what their ratios are taken to, in their order: those beside each other that have one reference.
    var groups: [(reference: String, participants: [ParticipantResult])] {
        participants.reduce(into: []) { groups, participant in
            if groups.last?.reference == participant.reference {
                groups[groups.count - 1].participants.append(participant)
            } else {
                groups.append((participant.reference, [participant]))
            }
        }
    }

    /// The steps by whether they write, in their order; growths are of one kind.
    var kinds: [(title: String, steps: [String])] {
        let (writes, reads) = (steps.filter(writing.contains), steps.filter { !writing.contains($0) })
        return [("Reading", reads), ("Writing", writes)].filter { !$0.1.isEmpty }
    }

    /// How often a step was measured, by whom it was measured least.
    func runs(_ step: String) -> Int { participants.compactMap { $0.steps[step]?.seconds.count }.filter { $0 > 0 }.min() ?? 0 }

    /// The sizes that were measured, of each participant; nothing that is 0 for all.
    var sizes: [(title: String, bytes: [Int], digits: Int)] {
        let digits = Format.digits(ofRuns: steps.map(runs).max() ?? 0)
        let reading = steps.filter { !writing.contains($0) }
        let all = [
            ("peak memory, writing", participants.map { $0.peak(steps.filter(writing.contains)) }, digits),
            ("peak memory, reading", participants.map { $0.peak(reading) }, digits),
            // A size in files repeats to the byte.
            ("file size", participants.map(\.fileBytes), 3),
        ]
        return all.filter { $0.1.contains { $0 > 0 } }
    }
}

extension ReportTable {
    /// A table with a row for each step of a kind.
    package init(title: String, steps: [some ReportStep], participants: [ParticipantResult]) {
        self.init(title: title, steps: steps.map(\.rawValue), participants: participants)
        for step in steps { explanations[step.rawValue] = step.explanation }
        writing = Set(steps.filter(\.writes).map(\.rawValue))
    }
}
