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

    private static func phases(_ steps: [ArchiveStep]) -> [[String]] {
        let left = steps.filter { $0 != .importing && $0 != .verify }
        return [steps.filter { $0 == .importing }, left, steps.filter { $0 == .verify }].filter { !$0.isEmpty }.map { $0.map(\.rawValue) }
    }
}
