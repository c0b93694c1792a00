import Foundation

/// The jobs of the runner, by the names of their commands.
package enum ReportJob: String, Codable, CaseIterable {
    case archive, events, growth, queries, lists, migrations, contexts, observation, history, coredata
}

/// What a run of the benchmarks found; written as JSON as it stands.
package struct Report: Codable {
    var job: ReportJob
    var title: String
    var machine: Machine
    var facts: [String]
    var notes: [String]
    var tables: [ReportTable]
    var reaches: [ReachResult]
    /// Who is faster at what, a sentence for each table.
    var summary: [String]
    /// Which store to choose, by what was measured.
    var advice: [Advice]

    /// - Parameters:
    ///   - versions: What takes part, with its version.
    ///   - targets: The ratios to reach, of all jobs.
    ///   - recommendations: Which participant to choose in the job `archive`.
    package init(
        _ job: ReportJob, title: String, facts: [String], notes: [String], tables: [ReportTable], versions: [String], targets: [Reach],
        recommendations: [Advice.Recommendation]
    ) {
        self.job = job
        self.title = title
        machine = Machine(versions: versions)
        self.facts = facts
        self.notes = notes
        self.tables = tables
        let sentences = tables.map { ($0.title, $0.summary) }
        summary = sentences.compactMap { title, sentence in sentence.map { tables.count > 1 ? "\(title): \($0)" : $0 } }
        advice = job == .archive ? tables.flatMap { Advice.given(recommendations, $0) } : []
        reaches = targets.filter { $0.job == job }.compactMap { $0.result(in: tables) }
    }

    /// Whether every step was done and every answer agrees.
    package var isSound: Bool { tables.allSatisfy(\.isSound) }

    /// How often the steps were measured, but for those that are done once.
    var runs: Int { tables.flatMap { table in table.steps.map(table.runs) }.max() ?? 0 }

    var measuring: String { runs > 1 ? "medians of \(runs) runs" : "one run" }
}

extension Report {
    /// The report as text for a terminal.
    package var terminal: String { TerminalReport(report: self).text }

    /// The report as a web page.
    package var html: String { HTMLReport(report: self).text }

    /// The tables of the report in Markdown.
    package var markdown: String { MarkdownReport(report: self).text }
}

/// Where it ran.
struct Machine: Codable {
    var system = ProcessInfo.processInfo.operatingSystemVersionString
    var processors = ProcessInfo.processInfo.activeProcessorCount
    var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    var date = ISO8601DateFormatter().string(from: Date())
    /// What was measured, with its version.
    var versions: [String]
    #if DEBUG
        var build = "debug"
    #else
        var build = "release"
    #endif
}

extension Machine: CustomStringConvertible {
    var description: String {
        "\(system), \(processors) processors, \(Format.bytes(memoryBytes)), \(build) build, \(date); " + versions.joined(separator: ", ")
    }
}
