import ArgumentParser
import BenchPeers
import BenchReports
import DebianArchive
import Foundation
import StrataWorkload

struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "The Debian archive as an object graph: the same work by every participant (the default).",
        discussion: """
            Reads the package index of this machine (apt-cache dumpavail), or FILE, or the bundled sample where there is no apt.
            """
    )

    @Option(help: ArgumentHelp("A package index, uncompressed.", valueName: "file"))
    var archive: String?

    @Flag(help: "Take the bundled sample of some 2,000 packages.")
    var sample = false

    @Flag(help: "Measure also the participants that do nothing but import.")
    var complete = false

    @Option(help: "How often to measure; the medians are shown.")
    var runs = 3

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be 1 or more.") }
        if sample && archive != nil { throw ValidationError("Give --sample or --archive, not both.") }
    }

    func run() async throws {
        let progress = ProgressOutput(isQuiet: options.quiet)
        let named = try options.chosen(Registry.archive.filter { complete || $0.steps.count > 1 }) { $0.name }
        let server = BenchServer(for: named.map { $0.name })
        let participants = named.filter { server.serves($0.name) }
        let (parsed, origin) = try read(progress)
        let dataset = Dataset(parsed.stanzas)
        if dataset.packages.isEmpty { throw NoPackages(origin: origin, firstProblem: parsed.firstProblem) }
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let rows = directory.url.appendingPathComponent("dataset")
        try DatasetFile.write(dataset, to: rows)
        let parameters = directory.url.appendingPathComponent("parameters.json")
        try JSONEncoder().encode(ArchiveParameters(dataset)).write(to: parameters)

        let entries = participants.map {
            Runner.Entry(
                name: $0.name, kind: $0.kind, reference: $0.reference, groups: Schedule.groups($0.steps, $0.grouping),
                equivalents: $0.equivalents(among: $0.steps))
        }
        let first = FirstComparison(names: Registry.first.filter { name in participants.contains { $0.name == name } })
        if let heading = first.heading { progress.result(heading) }
        let runner = Runner(
            runs: runs, workDirectory: directory.url, progress: progress, finalSteps: [ArchiveStep.verify.rawValue], first: Set(first.names)
        ) { results, steps in
            if first.heading != nil { for line in first.lines(steps, results) { progress.result(line) } }
        }
        let work = Job.Work.archive(dataset: rows, parameters: parameters)
        var results = try runner.run(entries, work: work)
        if options.counts ?? (runs > 1) { try runner.count(entries, work: work, into: &results) }
        var table = ReportTable(title: "archive", steps: ArchiveStep.allCases, participants: results)
        table.rowBytes = dataset.byteCount
        var facts = [
            "\(origin): \(Format.count(dataset.packages.count)) packages, \(Format.count(dataset.versions.count)) versions, "
                + "\(Format.count(dataset.dependencies.count)) dependencies, \(Format.count(dataset.maintainers.count)) maintainers, "
                + "\(dataset.sections.count) sections, \(dataset.tags.count) tags: "
                + "\(Format.count(dataset.rowCount)) objects, \(Format.bytes(dataset.byteCount)) of values"
        ]
        if parsed.skipped > 0, let problem = parsed.firstProblem {
            facts.append("left out: \(parsed.skipped) malformed stanzas, the first at \(problem)")
        }
        let notes =
            participants.flatMap { $0.notes } + server.notes + [
                "ratios to the raw participant of the same engine, to raw SQLite where there is none; every step in a fresh process"
            ]
        try ReportOutput.finish(
            Report(.archive, title: "The Debian archive", facts: facts, notes: notes, tables: [table]),
            options
        )
    }

    private func read(_ progress: ProgressOutput) throws -> (ArchiveParser, origin: String) {
        func read(_ source: ArchiveSource, _ origin: String) throws -> (ArchiveParser, String) {
            progress.say("reading \(origin)")
            return (try source.read { progress.update("\(Format.count($0)) stanzas") }, origin)
        }
        if sample { return try read(.sample, "the bundled sample") }
        if let archive { return try read(.file(archive), archive) }
        do {
            let result = try read(.machine, "apt-cache dumpavail")
            if !result.0.stanzas.isEmpty { return result }
            progress.say("this machine's package index is empty (apt-get update fills it)")
        } catch let error as ArchiveError {
            progress.say("\(error)")
        }
        return try read(.sample, "the bundled sample")
    }
}

/// An index without a single usable stanza.
struct NoPackages: Error, CustomStringConvertible {
    var origin: String
    var firstProblem: ArchiveError?

    var description: String { "there are no packages in \(origin)" + (firstProblem.map { ": \($0)" } ?? "") }
}
