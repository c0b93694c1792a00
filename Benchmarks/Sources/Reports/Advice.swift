package import StrataWorkload

/// Which participant to choose under which condition, with what was measured of it.
package struct Advice: Codable {
    var participant: String
    var condition: String
    /// What supports it, or speaks against it, each with its step.
    var figures: [String]
}

extension Advice: CustomStringConvertible {
    package var description: String {
        "Choose \(participant) if \(condition)" + (figures.isEmpty ? "" : " (\(figures.joined(separator: ", ")))") + "."
    }
}

extension Advice {
    /// What stands above a list of them.
    static let title = "Which to choose (the first that applies)"

    /// Which participant to choose under which condition, with the steps that show it.
    package typealias Recommendation = (participant: String, condition: String, steps: [ArchiveStep])

    /// Returns the recommendations for the participants of a table, in their order.
    static func given(_ recommendations: [Recommendation], _ table: ReportTable) -> [Advice] {
        recommendations.compactMap { row in
            guard let participant = table.participant(row.participant) else { return nil }
            let times = row.steps.map(\.rawValue).compactMap { step in
                participant.steps[step]?.median.map { "\(step) \(Format.time($0, digits: Format.digits(ofRuns: table.runs(step))))" }
            }
            let writing = table.steps.filter(table.writing.contains)
            let sizes = [("peak memory, writing", participant.peak(writing), 2), ("file", participant.fileBytes, 3)].filter { $0.1 > 0 }
            return Advice(
                participant: row.participant, condition: row.condition,
                figures: times + sizes.map { "\($0) \(Format.bytes($1, digits: $2))" })
        }
    }
}
