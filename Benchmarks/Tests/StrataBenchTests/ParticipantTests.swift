import DebianArchive
import Foundation
import StrataWorkload
import Testing

@testable import BenchPeers
@testable import BenchReports
@testable import StrataBench

// A participant's schema on the server is the same for every job.
@Suite(.serialized) struct ParticipantTests {
    /// One for all, which ends with the process.
    private static let server = BenchServer(for: Array(ServerParticipant.all))

    private func withDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = try WorkDirectory(in: nil)
        defer { directory.remove() }
        return try await body(directory.url)
    }

    @Test("Every participant answers every step of the archive alike, reopening before each")
    func archive() async throws {
        try await withDirectory { url in
            let dataset = Dataset(Array(try ArchiveSource.sample.read().stanzas.prefix(600)))
            let rows = url.appendingPathComponent("dataset")
            try DatasetFile.write(dataset, to: rows)
            let parameters = url.appendingPathComponent("parameters.json")
            try JSONEncoder().encode(ArchiveParameters(dataset)).write(to: parameters)
            var results: [ParticipantResult] = []
            let types = Registry.archive.filter { Self.server.serves($0.name) }
            for type in types {
                let directory = url.appendingPathComponent(type.name)
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                var samples: [Sample] = []
                let equivalents = type.equivalents(among: type.steps)
                for steps in Schedule.groups(type.steps.filter { equivalents[$0.rawValue] == nil }, type.grouping) {
                    let work = Job.Work.archive(dataset: rows, parameters: parameters)
                    let job = Job(work: work, participant: type.name, directory: directory.path, steps: steps)
                    try await Measurement { samples.append($0) }.run(job)
                }
                var result = ParticipantResult(name: type.name, kind: type.kind, reference: type.reference)
                for sample in samples { result.add(sample, equivalents) }
                results.append(result)
                #expect(result.steps["import"]?.answer == Answer(count: dataset.rowCount))
                if type.steps == [.importing] { continue }
                for step in ["update", "read, update"] where type.steps.map(\.rawValue).contains(step) {
                    #expect(result.steps[step]?.answer?.count == 60)
                }
                if type.steps.contains(.singles) { #expect(result.steps["small saves"]?.answer?.count == 100) }
                #expect(result.steps["delete"]?.answer?.count == 12)
            }
            let table = ReportTable(title: "", steps: ArchiveStep.allCases.map(\.rawValue), participants: results)
            for step in table.steps {
                let agreement = table.agreement(step)
                #expect(agreement.isEqual, "\(step)")
                let answering = types.filter { type in
                    type.steps.contains { $0.rawValue == step } && (step != ArchiveStep.open.rawValue || type.grouping != .whole)
                }
                #expect(agreement.answers == answering.count, "\(step)")
                #expect((table.answer(step)?.count ?? 0) > 0, "\(step)")
            }
        }
    }

    @Test("Every participant answers its steps of the events as the events themselves do")
    func events() async throws {
        let count = 1_000
        let work = EventWork(count: count)
        var expected: [EventStep: Answer] = [
            .insert: Answer(count: count), .save: Answer(count: count), .count: Answer(count: count), .update: Answer(count: 100),
            .readUpdate: Answer(count: 100), .delete: Answer(count: 100), .readDelete: Answer(count: 100), .singles: Answer(count: 100),
            .fourWriters: Answer(count: 400),
            .sixteenWriters: Answer(count: 1_600), .batchUpdate: Answer(count: 100), .batchDelete: Answer(count: 100),
        ]
        var all = Answer()
        for event in work.events() { all.add(event) }
        for step in [EventStep.fetchAll, .ranges, .byID, .load] { expected[step] = all }
        var left = Answer()
        for var event in work.events() where !work.deletes.contains(event.id) {
            if work.updates.contains(event.id) { event.time += EventWork.delay }
            left.add(event)
        }
        for event in work.events(for: .singles) { left.add(event) }
        expected[.verify] = left
        try await withDirectory { url in
            for type in Registry.events.flatMap(\.participants) where Self.server.serves(type.name) {
                var samples: [Sample] = []
                let directory = url.appendingPathComponent(type.name)
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                let equivalents = type.equivalents(among: type.steps)
                let measured = type.steps.filter { equivalents[$0.rawValue] == nil }
                for steps in Schedule.groups(measured, type.grouping) {
                    let job = Job(work: .events(count: count), participant: type.name, directory: directory.path, steps: steps)
                    try await Measurement { samples.append($0) }.run(job)
                }
                #expect(samples.map(\.step) == measured.map(\.rawValue))
                for sample in samples {
                    #expect(sample.failure == nil, "\(type.name), \(sample.step)")
                    let step = try #require(EventStep(rawValue: sample.step))
                    if let answer = expected[step] { #expect(sample.answer == answer, "\(type.name), \(sample.step)") }
                }
            }
        }
    }

    @Test("A dataset comes out of its file as it went in")
    func datasetFile() async throws {
        try await withDirectory { url in
            let dataset = Dataset(Array(try ArchiveSource.sample.read().stanzas.prefix(300)))
            let file = url.appendingPathComponent("dataset")
            try DatasetFile.write(dataset, to: file)
            #expect(try DatasetFile.read(file) == dataset)
        }
    }

    @Test("A job for nobody is refused")
    func unknown() async throws {
        let job = Job(work: .events(count: 1), participant: "nobody", directory: "/tmp", steps: ["insert"])
        await #expect(throws: MeasurementError.self) { try await Measurement { _ in }.run(job) }
    }
}
