import ArgumentParser
import BenchReports
import CoreDataEvents
import Foundation
import StrataWorkload

struct CoreDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata",
        abstract: "What the names of Core Data, and the accessors of @Model, cost over Strata's typed keys, in a store in memory."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    private struct Participant {
        let name: String
        let make: () throws -> any EventGraph
    }

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let work = EventWork(count: events.count).events()
        let participants = [
            Participant(name: CoreDataStep.strataName, make: StrataEvents.init),
            Participant(name: CoreDataStep.coreDataName, make: CoreDataEvents.init),
            Participant(name: CoreDataStep.modelName, make: ModelEvents.init),
        ]
        var results = participants.map { ParticipantResult(name: $0.name, kind: .strata, reference: participants[0].name) }
        for round in 0..<events.runs {
            // Who is first in one round is last in the next.
            for turn in participants.indices {
                let place = (round + turn) % participants.count
                try measure(participants[place], work) { results[place].add($0) }
            }
        }
        return Report(
            .coredata,
            title: "\(Format.count(events.count)) events by three names",
            facts: ["the same graph over the same store, written with Strata's typed keys, with Core Data's names and with @Model"],
            notes: ["participants in turn in one process, each first as often as last"],
            tables: [ReportTable(title: "coredata", steps: CoreDataStep.allCases, participants: results)]
        )
    }

    private func measure(_ participant: Participant, _ work: [Event], _ add: (Sample) -> Void) throws {
        var graph = try participant.make()
        var answer: Answer?
        func time(_ step: CoreDataStep, _ body: () throws -> Void) rethrows {
            let seconds = try timed(body).seconds
            add(Sample(step: step.rawValue, seconds: seconds, answer: answer))
            answer = nil
        }
        try time(.insert) { try graph.insert(work) }
        try time(.fetch) { answer = try graph.touchAll() }
        try graph.load()
        // Once before the clock runs: rows become values where they are read first.
        var sum = graph.readLoaded()
        time(.get) { for _ in 0..<10 { sum &+= graph.readLoaded() } }
        withExtendedLifetime(sum) {}
        time(.set) { graph.changeLoaded() }
    }
}
