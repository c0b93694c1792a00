import ArgumentParser
import StrataWorkload

// Replaces the folder `AllJobs` where the manifest leaves it out.

extension StrataBench {
    static let others: [any ParsableCommand.Type] = []
}

extension Registry {
    static var archiveOnServer: [any Participant.Type] { [] }
    static var eventsOnServer: [EventTable] { [] }
}
