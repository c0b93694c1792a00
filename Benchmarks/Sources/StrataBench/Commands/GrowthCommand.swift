import ArgumentParser
import BenchPeers
import BenchReports
import Foundation
import StrataWorkload

struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "What an object costs where there are few and where there are many, beside the raw engine's own growth."
    )

    @Option(help: "How many events, from the fewest to the most, separated by commas.")
    var counts = "10000,100000,1000000"

    @Option(help: "How often to measure; the medians are shown.")
    var runs = 3

    @OptionGroup var options: ReportOptions

    private var ascending: [Int] { counts.split(separator: ",").compactMap { Int($0) }.sorted() }

    /// The steps of a participant whose growth is measured.
    static func steps(of type: any EventParticipant.Type) -> [EventStep] {
        // In memory no save waits for a disk, and what the dictionary's sorted index takes for each grows by itself.
        let waiting: [EventStep] = type.grouping == .whole ? [.singles] : []
        let left = [.fetchUntouched, .readUpdate, .readDelete, .verify] + waiting
        return type.steps.filter { !left.contains($0) }
    }

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be 1 or more.") }
        if ascending.count < 2 || ascending.count != counts.split(separator: ",").count || ascending[0] < 1 {
            throw ValidationError("--counts must be two numbers or more, separated by commas.")
        }
    }

    func run() async throws {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let measured = Registry.events.flatMap(\.participants).filter { $0.kind != .peer && !ServerParticipant.all.contains($0.name) }
        let types = try options.chosen(measured) { $0.name }
        let progress = ProgressOutput(isQuiet: options.quiet)
        let runner = Runner(runs: runs, workDirectory: directory.url, progress: progress)
        let entries = Registry.entries(types, steps: Self.steps)
        let tables = try ascending.map { count in
            progress.say("\(Format.count(count)) events")
            return (count, Registry.tables(try runner.run(entries, work: .events(count: count)), count: count))
        }
        progress.say("contexts")
        try ReportOutput.finish(Self.report(tables, contexts: [try GraphGrowth.measure(runs: runs)]), options)
    }

    /// - Parameter contexts: The growth of steps in a context, at counts of their own.
    static func report(_ measured: [(count: Int, tables: [ReportTable])], contexts: [ReportTable] = []) -> Report {
        let counts = measured.map(\.count)
        let tables = (measured.first?.tables ?? []).indices.map { place in
            ReportTable(costs: measured.map { ($0.count, $0.tables[place]) }) { step, count in
                EventStep(rawValue: step).map { EventWork.objects(of: $0, among: count) } ?? count
            }
        }
        return Report(
            .growth,
            title: "From \(Format.count(counts.first ?? 0)) to \(Format.count(counts.last ?? 0)) events",
            facts: ["the time of each step, by the objects that it is about; " + EventsCommand.fact],
            notes: [
                SQLiteSettings.note,
                "growth is an object's cost among most by its cost among fewest; a ratio of growth is one to that of the raw participant",
                "every step in a fresh process, interleaved; contexts in one process, over a store in memory",
            ],
            tables: tables + contexts
        )
    }
}
