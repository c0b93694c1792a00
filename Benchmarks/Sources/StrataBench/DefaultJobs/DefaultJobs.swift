import ArgumentParser
import StrataWorkload

// What stands for the folder `AllJobs` where the manifest leaves it out.

extension StrataBench {
    static let others: [any ParsableCommand.Type] = []
}

extension Registry {
    static var archiveOnServer: [any Participant.Type] { [] }
    static var eventsOnServer: [EventTable] { [] }
}

extension Versions {
    static let libpq: [String] = []
}

/// No server: no participant keeps its store on one.
struct BenchServer {
    init(for participants: [String]) {}
    func serves(_ participant: String) -> Bool { true }
    var notes: [String] { [] }
    static func settle() throws {}
}
