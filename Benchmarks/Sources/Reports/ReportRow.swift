import StrataWorkload

/// A row of a table as its readers see it, whatever shows it.
struct ReportRow {
    enum Cell {
        case none
        case failed(String)
        /// The median, the shortest and the longest where there are several, and the ratio to the participant's own reference: "–" where
        /// one of the two is too short for it, `nil` where the reference has no time.
        case measured(time: String, spread: String?, ratio: String?)
    }

    var step: String
    var explanation: String?
    /// How many rows the answer has, and how many participants gave it; nothing where none is asked for.
    var answers: String?
    var isEqual: Bool
    var cells: [Cell]
}

extension ReportTable {
    var rows: [ReportRow] {
        steps.map { step in
            let digits = Format.digits(ofRuns: runs(step))
            let cells = participants.map { participant -> ReportRow.Cell in
                guard let result = participant.steps[step] else { return .none }
                guard result.failure == nil, let median = result.median else { return .failed(result.failure ?? "not measured") }
                return .measured(
                    time: Format.time(median, digits: digits),
                    spread: result.spread.map { Format.spread($0, digits: digits) },
                    ratio: ratioCell(step, of: participant, digits: digits)
                )
            }
            let (count, isEqual) = agreement(step)
            let answers = answer(step).map { Format.count($0.count) + (isEqual ? ", \(count) equal" : ", NOT EQUAL") }
            return ReportRow(
                step: step, explanation: explanations[step], answers: answers ?? (isEqual ? nil : "none"), isEqual: isEqual, cells: cells)
        }
    }

    private func ratioCell(_ step: String, of participant: ParticipantResult, digits: Int) -> String? {
        guard participant.reference != participant.name, self.participant(participant.reference)?.steps[step]?.median != nil else {
            return nil
        }
        return ratio(step, of: participant).map { Format.ratio($0, digits: digits) } ?? "–"
    }
}
