import ArgumentParser
import BenchPeers
import BenchReports
import Foundation
import StrataWorkload

struct QueriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queries",
        abstract: "Queries through the whole stack: parsing, look-ups, groups, text search, batch requests."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    private static var participants: [any QueryParticipant.Type] {
        [QueryPeers.rawSQLite, QueriesStrata<SQLiteChoice>.self, QueriesStrata<LMDBChoice>.self, QueriesStrata<InMemoryChoice>.self]
    }

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let types = try options.chosen(Self.participants) { $0.name }
        let work = QueryWork(count: events.count)
        var results = types.map { ParticipantResult(name: $0.name, kind: $0.kind, reference: $0.reference) }
        for run in 0..<events.runs {
            for (place, type) in types.enumerated() {
                let own = try directory.made("\(run)-\(place)")
                try measure(type, own.path, work, &results[place])
                try FileManager.default.removeItem(at: own)
            }
        }
        return Report(
            .queries,
            title: "Queries over \(Format.count(events.count)) events",
            facts: ["look-ups return objects with every field touched; each asks anew, by a predicate or an ID"],
            notes: [SQLiteSettings.note, "participants in turn in one process"],
            tables: [ReportTable(title: "queries", steps: QueryStep.allCases, participants: results)]
        )
    }

    private func measure(
        _ type: any QueryParticipant.Type, _ path: String, _ work: QueryWork, _ result: inout ParticipantResult
    ) throws {
        let participant = try type.init(directory: path)
        for step in QueryStep.allCases {
            let (answer, seconds) = try timed { try participant.perform(step, work) }
            if let answer { result.add(Sample(step: step.rawValue, seconds: seconds, answer: answer)) }
        }
        try participant.close()
    }
}
