import Foundation
import StrataWorkload

/// How one participant's times compare with another's, over the steps that both did.
struct Comparison {
    var faster: [String] = []
    var level: [String] = []
    var slower: [String] = []
    /// The geometric mean of the ratios of the times, the other's to its own; `nil` where all times are too short for one.
    var mean: Double?

    var count: Int { faster.count + level.count + slower.count }

    /// By how much two times may differ and still be called equal: runs of one process differ by as much.
    static let tolerance = 1.05

    /// - Returns: `nil` where both have no step in common.
    init?(_ own: ParticipantResult, with other: ParticipantResult, _ steps: [String]) {
        var logarithms: [Double] = []
        for step in steps {
            guard let time = own.steps[step]?.median, let base = other.steps[step]?.median, time > 0, base > 0 else { continue }
            if min(time, base) >= ReportTable.shortest { logarithms.append(log(base / time)) }
            if base > time * Self.tolerance {
                faster.append(step)
            } else if time > base * Self.tolerance {
                slower.append(step)
            } else {
                level.append(step)
            }
        }
        if count == 0 { return nil }
        if !logarithms.isEmpty { mean = exp(logarithms.reduce(0, +) / Double(logarithms.count)) }
    }

    /// The comparison seen from the other's side.
    var reversed: Comparison {
        var reversed = self
        (reversed.faster, reversed.slower, reversed.mean) = (slower, faster, mean.map { 1 / $0 })
        return reversed
    }

    /// Names the one that is faster at more steps first.
    func clause(_ own: String, _ other: String, digits: Int) -> String {
        if slower.count > faster.count { return reversed.clause(other, own, digits: digits) }
        let rest = [("about equal", level), ("slower", slower)].filter { !$0.1.isEmpty }.map { "\($0) at \(Self.names($1))" }
        let factor = mean.map { mean in
            // Wins at more steps may be small ones.
            let factor =
                mean < 1 ? "but \(Format.ratio(1 / mean, digits: digits)) as slow" : "\(Format.ratio(mean, digits: digits)) as fast"
            return factor + " in the geometric mean"
        }
        let facts = [factor].compactMap(\.self) + rest
        let details = facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"
        return "\(own) is faster than \(other) at \(faster.count) of \(count) steps" + details
    }

    /// Some steps by their names, many by their number.
    static func names(_ steps: [String]) -> String {
        steps.count > 4 ? "\(steps.count) steps" : steps.joined(separator: ", ")
    }
}

extension ReportTable {
    /// Who is faster at what, in a sentence; `nil` where Strata is not measured beside anything else.
    var summary: String? {
        guard growth == nil, let own = participants.first(where: { $0.kind == .strata }) else { return nil }
        let digits = Format.digits(ofRuns: steps.map(runs).max() ?? 0)
        let others = participants.filter { $0.kind == .peer } + participants.filter { $0.kind == .raw && $0.name == own.reference }
        var clauses = others.compactMap { other in
            Comparison(own, with: other, steps)?.clause(own.name, other.name, digits: digits)
        }
        if clauses.isEmpty { return nil }
        // With two there is nothing to add.
        if participants.count > 2 { clauses.append("fastest of all: " + fastest) }
        return clauses.joined(separator: "; ") + "."
    }

    /// Who has the shortest time, with the steps, the one with most steps first.
    private var fastest: String {
        var won: [String: [String]] = [:]
        for step in steps {
            let times = participants.compactMap { participant in participant.steps[step]?.median.map { (participant.name, $0) } }
            if times.count > 1, let least = times.min(by: { $0.1 < $1.1 }) { won[least.0, default: []].append(step) }
        }
        let winners = participants.compactMap { participant in won[participant.name].map { (participant.name, $0) } }
        let ordered = winners.sorted { $0.1.count > $1.1.count }
        return ordered.map { "\($0) at \(Comparison.names($1))" }.joined(separator: ", ")
    }
}
