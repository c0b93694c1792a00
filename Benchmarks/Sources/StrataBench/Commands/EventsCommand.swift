import ArgumentParser
import Foundation
import StrataWorkload

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Synthetic records: the ratios that the design sets out to reach."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    func run() async throws {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        var entries: [Runner.Entry] = []
        for table in Registry.events {
            for type in table.participants where options.includes(type.name) {
                entries.append(
                    Runner.Entry(
                        name: type.name,
                        kind: type.kind,
                        reference: table.participants.first?.name ?? "",
                        groups: Schedule.groups(type.steps, type.grouping)
                    )
                )
            }
        }
        if entries.isEmpty { throw ValidationError("No participant's name contains \(options.only ?? "").") }
        let runner = Runner(runs: events.runs, workDirectory: directory.url, progress: Progress(isQuiet: options.quiet))
        let results = try runner.run(entries, work: .events(count: events.count))
        var expected: [String: Answer] = [:]
        for result in results { for (step, done) in result.steps where expected[step] == nil { expected[step] = done.answer } }
        let tables = Registry.events.compactMap { table -> ReportTable? in
            let names = table.participants.map { $0.name }
            let steps = EventStep.allCases.filter { step in table.participants.contains { $0.steps.contains(step) } }.map(\.rawValue)
            let participants = results.filter { names.contains($0.name) }
            if participants.isEmpty { return nil }
            let explanations = Dictionary(uniqueKeysWithValues: EventStep.allCases.map { ($0.rawValue, $0.explanation) })
            return ReportTable(
                title: table.title, steps: steps, participants: participants, expected: expected, explanations: explanations)
        }
        let report = Report(
            title: "\(Format.count(events.count)) events",
            facts: ["an integer key, a date, texts of 20, 120 and 40 characters, an indexed number, a number to group by"],
            notes: [
                SQLiteSettings.note,
                "every fetch touches every field; medians of \(events.runs), every step in a fresh process, interleaved",
                "answers are compared over all tables",
            ],
            tables: tables,
            reaches: Reach.results(tables, count: events.count)
        )
        try ReportOutput.finish(report, options)
    }
}
