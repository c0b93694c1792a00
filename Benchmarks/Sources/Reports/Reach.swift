/// A ratio that Strata sets out to reach in a job.
package struct Reach: Sendable {
    /// What a step of a participant is measured against.
    package enum Reference: Sendable {
        /// The time of another participant's same step.
        case time(of: String)
        /// The time of another step of the same participant; where a participant cannot do better, what that needs is enough.
        case step(String, limitedBy: String)
        /// A time, and what it is called.
        case seconds(Double, String)
        /// What the step grows the process by, at its peak: in bytes of the rows.
        case rowsOfPeak
        /// What the step's objects keep in memory: in bytes of the rows.
        case rowsOfKept
        /// What the step retains and releases for an object: a number.
        case references
        /// What the step allocates for an object: a number.
        case allocations
        /// How much more an object costs another participant where there are most than where there are fewest.
        case growth(of: String)
    }

    var job: ReportJob
    var participant: String
    var step: String
    var reference: Reference
    var atMost: Double

    package init(job: ReportJob, participant: String, step: String, reference: Reference, atMost: Double) {
        self.job = job
        self.participant = participant
        self.step = step
        self.reference = reference
        self.atMost = atMost
    }

    /// What was measured of it; `nil` where somebody took no part.
    func result(in tables: [ReportTable]) -> ReachResult? {
        guard let own = measured(participant, step, in: tables) else { return nil }
        let (work, name, base): (String, String, Double?) =
            switch reference {
            case .time(of: let other): (step, other, measured(other, step, in: tables))
            case .step(let other, _): (step, "\(other) of its own", measured(participant, other, in: tables))
            case .seconds(let seconds, let name): (step, name, seconds)
            case .rowsOfPeak: ("peak memory of \(step), beyond its source", "the bytes of the rows", rowBytes(tables))
            case .rowsOfKept: ("memory of \(step)", "the bytes of the rows", rowBytes(tables))
            case .references: ("retains and releases of \(step)", "one object", 1)
            case .allocations: ("allocations of \(step)", "one object", 1)
            case .growth(of: let other): ("growth of \(step)", "growth of \(other)", measured(other, step, in: tables))
            }
        guard let base, base > 0 else { return nil }
        let runs = tables.map { $0.runs($0.growth?.counts.last.map { Growth.row(step, $0) } ?? step) }.filter { $0 > 0 }.min() ?? 0
        let ratio = isTooShort(own) || isTooShort(base) ? nil : own / base
        return ReachResult(
            participant: participant, work: work, reference: name, ratio: ratio, atMost: bound(in: tables), runs: runs, isCount: isCount)
    }

    private var isCount: Bool {
        switch reference {
        case .references, .allocations: true
        default: false
        }
    }

    private func isTooShort(_ value: Double) -> Bool {
        switch reference {
        case .time, .step, .seconds: value < ReportTable.shortest
        case .rowsOfPeak, .rowsOfKept, .references, .allocations, .growth: false
        }
    }

    private func bound(in tables: [ReportTable]) -> Double {
        guard case .step(let other, let limit) = reference, let most = measured(limit, step, in: tables),
            let least = measured(limit, other, in: tables)
        else { return atMost }
        return max(atMost, most / least)
    }

    private func measured(_ name: String, _ step: String, in tables: [ReportTable]) -> Double? {
        tables.lazy.compactMap { table -> Double? in
            guard let participant = table.participant(name) else { return nil }
            let result = participant.steps[step]
            return switch reference {
            case .time, .step, .seconds: result?.median
            case .rowsOfPeak: result.map { Double($0.grownBytes) }
            case .rowsOfKept: result.map { Double($0.keptBytes) }
            case .references: result?.perObject { $0.retains + $0.releases }
            case .allocations: result?.perObject(\.allocations)
            case .growth: table.growth?.factor(step, of: participant)
            }
        }.first { $0 > 0 }
    }

    private func rowBytes(_ tables: [ReportTable]) -> Double? {
        tables.first { $0.participant(participant) != nil }.map { Double($0.rowBytes) }
    }
}

/// A target and what was measured.
struct ReachResult: Codable {
    var participant: String
    var work: String
    var reference: String
    /// `nil` where the times are too short for one.
    var ratio: Double?
    var atMost: Double
    /// How often it was measured.
    var runs: Int
    /// Whether the ratio is a number of calls for an object.
    var isCount = false

    var isReached: Bool? { ratio.map { $0 <= atMost } }
}

extension ReachResult {
    /// The ratio, the target and whether it is reached, as readers see them.
    var cells: [String] {
        let format = { (value: Double) in isCount ? Format.perObject(value) : Format.ratio(value, digits: Format.digits(ofRuns: runs)) }
        return [
            ratio.map(format) ?? "–", "≤ " + (isCount ? Format.perObject(atMost) : Format.ratio(atMost)),
            isReached.map { $0 ? "reached" : "missed" } ?? "too short",
        ]
    }
}
