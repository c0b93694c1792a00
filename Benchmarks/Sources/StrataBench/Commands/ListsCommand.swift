import ArgumentParser
import BenchPeers
import BenchReports
import Foundation
import StrataWorkload

struct ListsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists",
        abstract: "What an application shows of many records: first pages, counts, searches, from a process's start and beside a writer."
    )

    @Option(help: "How many events.")
    var count = 1_000_000

    @Option(help: "How often to measure; the medians are shown.")
    var runs = 3

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be 1 or more.") }
        if count < 1 { throw ValidationError("--count must be 1 or more.") }
    }

    /// Those that offer such steps.
    static var participants: [any EventParticipant.Type] { Registry.events.flatMap(\.participants).filter { !$0.listSteps.isEmpty } }

    func run() async throws {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let types = try options.chosen(Self.participants) { $0.name }
        let runner = Runner(runs: runs, workDirectory: directory.url, progress: ProgressOutput(isQuiet: options.quiet))
        let entries = Registry.entries(types) { $0.listSteps }
        var results = try runner.run(entries, work: .events(count: count))
        if options.counts ?? (runs > 1) { try runner.count(entries, work: .events(count: count), into: &results) }
        let report = Report(
            .lists,
            title: "Lists of \(Format.count(count)) events",
            facts: [EventsCommand.fact],
            notes: [
                SQLiteSettings.note,
                "every fetch touches every field; every step in a fresh process",
                "pages beside a writer: raw SQLite and GRDB with a connection for each thread",
            ],
            tables: Registry.tables(results, count: count)
        )
        try ReportOutput.finish(report, options)
    }
}
