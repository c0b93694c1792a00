package import StrataWorkload

/// Spreads the steps of a participant over processes.
package enum Schedule {
    package static func groups(_ steps: [ArchiveStep], _ grouping: ProcessGrouping) -> [[String]] {
        switch grouping {
        case .perStep: steps.map { [$0.rawValue] }
        // Nothing is left to open once the process that imported is gone.
        case .whole: [steps.filter { $0 != .open }.map(\.rawValue)]
        case .perPhase: phases(steps)
        }
    }

    package static func groups(_ steps: [EventStep], _ grouping: ProcessGrouping) -> [[String]] {
        grouping == .whole ? [steps.map(\.rawValue)] : steps.map { [$0.rawValue] }
    }

    /// The names of the equivalent steps among some, each with that of the one that is measured.
    static func equivalents<Step: RawRepresentable<String> & Hashable>(_ equivalents: [Step: Step], among steps: [Step]) -> [String: String]
    {
        let found = equivalents.filter { steps.contains($0) && steps.contains($1) }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.rawValue, $1.rawValue) })
    }

    private static func phases(_ steps: [ArchiveStep]) -> [[String]] {
        let left = steps.filter { $0 != .importing && $0 != .verify }
        return [steps.filter { $0 == .importing }, left, steps.filter { $0 == .verify }].filter { !$0.isEmpty }.map { $0.map(\.rawValue) }
    }
}

extension Participant {
    /// The names of the steps whose times are those of another one.
    package static func equivalents(among steps: [ArchiveStep]) -> [String: String] { Schedule.equivalents(equivalents, among: steps) }
}

extension EventParticipant {
    /// The names of the steps whose times are those of another one.
    package static func equivalents(among steps: [EventStep]) -> [String: String] { Schedule.equivalents(equivalents, among: steps) }
}
