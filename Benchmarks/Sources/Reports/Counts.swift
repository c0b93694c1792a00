import StrataWorkload

/// What a step called the runtime and the heap for: the same on every machine, and in every run.
package struct Counts: Codable, Equatable {
    package var retains = 0
    package var releases = 0
    package var allocations = 0
    /// The bytes that were asked for, those that were given back in between too.
    package var bytes = 0

    package init(retains: Int = 0, releases: Int = 0, allocations: Int = 0, bytes: Int = 0) {
        (self.retains, self.releases, self.allocations, self.bytes) = (retains, releases, allocations, bytes)
    }

    package static func - (left: Counts, right: Counts) -> Counts {
        Counts(
            retains: left.retains - right.retains, releases: left.releases - right.releases,
            allocations: left.allocations - right.allocations, bytes: left.bytes - right.bytes)
    }

    package static func / (counts: Counts, times: Int) -> Counts {
        Counts(
            retains: counts.retains / times, releases: counts.releases / times, allocations: counts.allocations / times,
            bytes: counts.bytes / times)
    }
}

extension StepResult {
    /// A count for each row of the answer.
    func perObject(_ count: (Counts) -> Int) -> Double? {
        guard let counts, let answer, answer.count > 0 else { return nil }
        return Double(count(counts)) / Double(answer.count)
    }

    /// The counts of an object, as readers see them; `nil` where nothing was counted.
    var countCell: String? {
        guard let retains = perObject(\.retains), let releases = perObject(\.releases), let allocations = perObject(\.allocations),
            let bytes = perObject(\.bytes)
        else { return nil }
        return ([retains, releases, allocations].map(Format.perObject) + [Format.bytesPerObject(bytes)]).joined(separator: " · ")
    }
}

/// The counts of the participants in a table, beside its times.
struct CountTable {
    /// What the numbers of a cell are.
    static let legend = "retains · releases · allocations · bytes, per row of the answer"

    var title: String
    var participants: [String]
    var rows: [(step: String, cells: [String])]

    /// - Returns: `nil` where nothing was counted.
    init?(_ table: ReportTable) {
        let counted = table.participants.filter { $0.steps.values.contains { $0.countCell != nil } }
        if counted.isEmpty { return nil }
        title = table.title
        participants = counted.map(\.name)
        rows = table.steps.map { step in (step, counted.map { $0.steps[step]?.countCell ?? "–" }) }
    }
}
