import ArgumentParser
import BenchPeers
import BenchReports
import Foundation
import StrataWorkload

struct MigrationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrations",
        abstract: "Bringing a store to the next version of its model, beside SQL by hand and beside copying it."
    )

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    private static var participants: [any MigrationParticipant.Type] {
        [
            MigrationPeers.rawSQLite, MigrationStrata<SQLiteChoice>.self, MigrationCopy<SQLiteChoice>.self,
            MigrationCopy<LMDBChoice>.self, MigrationStrata<LMDBChoice>.self, MigrationCopy<BinaryChoice>.self,
            MigrationStrata<BinaryChoice>.self, MigrationCopy<XMLChoice>.self, MigrationStrata<XMLChoice>.self,
        ]
    }

    func run() throws { try ReportOutput.finish(try report(), options) }

    func report() throws -> Report {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        directory.removeWhenInterrupted()
        let types = try options.chosen(Self.participants) { $0.name }
        let work = EventWork(count: events.count).events()
        let masters = try types.indices.map { place in
            let master = try directory.made("\(place)")
            try types[place].init(directory: master.path).prepare(work)
            return master
        }
        var results = types.map { ParticipantResult(name: $0.name, kind: $0.kind, reference: $0.reference) }
        for run in 0..<events.runs {
            for (place, type) in types.enumerated() {
                for step in type.steps {
                    let own = try directory.copied(masters[place], to: "\(run)-\(place)-\(step.rawValue)")
                    let participant = try type.init(directory: own.path)
                    let (answer, seconds) = try timed { try participant.perform(step) }
                    results[place].add(Sample(step: step.rawValue, seconds: seconds, answer: answer))
                    try FileManager.default.removeItem(at: own)
                }
            }
        }
        return Report(
            .migrations,
            title: "Migrating \(Format.count(events.count)) events",
            facts: ["opening the store, migrating it, and counting its objects"],
            notes: [SQLiteSettings.note, "participants in turn in one process"],
            tables: [ReportTable(title: "migrations", steps: MigrationStep.allCases, participants: results)]
        )
    }
}
