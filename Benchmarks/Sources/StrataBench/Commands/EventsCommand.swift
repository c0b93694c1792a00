import ArgumentParser
import BenchPeers
import BenchReports
import Foundation
import StrataWorkload

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Synthetic records: the ratios that the design sets out to reach."
    )

    static let fact = "an integer key, a date, texts of 20, 120 and 40 characters, an indexed number, a number to group by"

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    func run() async throws {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let named = try options.chosen(Registry.events.flatMap(\.participants)) { $0.name }
        let server = BenchServer(for: named.map { $0.name })
        let types = named.filter { server.serves($0.name) }
        let runner = Runner(runs: events.runs, workDirectory: directory.url, progress: ProgressOutput(isQuiet: options.quiet))
        let entries = Registry.entries(types) { $0.steps }
        var results = try runner.run(entries, work: .events(count: events.count))
        if options.counts ?? (events.runs > 1) { try runner.count(entries, work: .events(count: events.count), into: &results) }
        let report = Report(
            .events,
            title: "\(Format.count(events.count)) events",
            facts: [Self.fact],
            notes: [
                SQLiteSettings.note,
                "every fetch touches every field; every step in a fresh process, interleaved",
                "answers are compared over all tables",
            ] + server.notes,
            tables: Registry.tables(results, count: events.count)
        )
        try ReportOutput.finish(report, options)
    }
}
