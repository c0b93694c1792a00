import BenchReports
import StrataWorkload

/// Participants in the events that are compared with each other; the first is the denominator.
struct EventTable {
    var title: String
    var participants: [any EventParticipant.Type]
}

extension Registry {
    /// How participants are measured in some of their steps.
    static func entries(_ types: [any EventParticipant.Type], steps: (any EventParticipant.Type) -> [EventStep]) -> [Runner.Entry] {
        types.map { type in
            let table = events.first { $0.participants.contains { $0.name == type.name } }
            return Runner.Entry(
                name: type.name,
                kind: type.kind,
                reference: table?.participants.first?.name ?? "",
                groups: Schedule.groups(steps(type), type.grouping),
                equivalents: type.equivalents(among: steps(type))
            )
        }
    }

    /// The results of the participants in so many events, by whom they are compared with; the answers of all must agree.
    static func tables(_ results: [ParticipantResult], count: Int) -> [ReportTable] {
        var expected: [String: Answer] = [:]
        for result in results { for (step, done) in result.steps where expected[step] == nil { expected[step] = done.answer } }
        return events.compactMap { table in
            let participants = results.filter { result in table.participants.contains { $0.name == result.name } }
            let steps = EventStep.allCases.filter { step in participants.contains { $0.steps[step.rawValue] != nil } }
            if participants.isEmpty { return nil }
            var table = ReportTable(title: table.title, steps: steps, participants: participants)
            table.expected = expected
            table.rowBytes = Event.byteCount * count
            return table
        }
    }
}
