import Foundation

/// The jobs of the runner, by the names of their commands.
enum ReportJob: String, Codable, CaseIterable {
    case archive, events, growth, queries, migrations, contexts, observation, coredata
}

/// What a run of the benchmarks found; written as JSON as it stands.
struct Report: Codable {
    var job: ReportJob
    var title: String
    var machine = Machine()
    var facts: [String]
    var notes: [String]
    var tables: [ReportTable]
    var reaches: [ReachResult]
    /// Who is faster at what, a sentence for each table.
    var summary: [String]
    /// Which store to choose, by what was measured.
    var advice: [Advice]

    init(_ job: ReportJob, title: String, facts: [String] = [], notes: [String] = [], tables: [ReportTable]) {
        self.job = job
        self.title = title
        self.facts = facts
        self.notes = notes
        self.tables = tables
        let sentences = tables.map { ($0.title, $0.summary) }
        summary = sentences.compactMap { title, sentence in sentence.map { tables.count > 1 ? "\(title): \($0)" : $0 } }
        advice = job == .archive ? tables.flatMap(Advice.given) : []
        reaches = Reach.all.filter { $0.job == job }.compactMap { $0.result(in: tables) }
    }

    /// Whether every step was done and every answer agrees.
    var isSound: Bool { tables.allSatisfy(\.isSound) }

    /// How often the steps were measured, but for those that are done once.
    var runs: Int { tables.flatMap { table in table.steps.map(table.runs) }.max() ?? 0 }

    var measuring: String { runs > 1 ? "medians of \(runs) runs" : "one run" }
}

/// Where it ran.
struct Machine: Codable {
    var system = ProcessInfo.processInfo.operatingSystemVersionString
    var processors = ProcessInfo.processInfo.activeProcessorCount
    var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    var date = ISO8601DateFormatter().string(from: Date())
    /// What was measured, with its version.
    var versions = Versions.all
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
