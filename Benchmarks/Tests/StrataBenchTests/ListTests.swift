import Foundation
import Testing

@testable import BenchReports
@testable import StrataBench
@testable import StrataWorkload

@Suite struct ListTests {
    private static let count = 1_000

    /// What the events themselves answer.
    private static let expected: [EventStep: Answer] = {
        let events = EventWork(count: count).events()
        func page(from rank: Int64) -> Answer {
            EventLists.page(events.filter { $0.rank >= rank }.sorted { $0.rank < $1.rank }.prefix(EventWork.pageSize))
        }
        let counted = events.filter { $0.bucket < EventWork.countedBuckets && $0.time > EventWork.countedTime }
        let found = events.filter { $0.detail.uppercased().contains(EventWork.soughtText) }.sorted { $0.title < $1.title }
        var beside = Answer()
        for rank in (0..<EventWork.readers).flatMap(EventWork.pages) {
            let page = page(from: rank)
            beside.count += page.count
            beside.checksum &+= page.checksum
        }
        return [
            .insert: Answer(count: count), .startToPage: page(from: 0), .page: page(from: 0),
            .sortedPage: EventLists.latest(events.sorted { $0.time > $1.time }.prefix(EventWork.pageSize)),
            .countWhere: Answer(count: counted.count), .sortedSearch: EventLists.found(found.prefix(EventWork.foundCount)),
            .pagesBesideWriter: beside, .slowestPages: beside,
        ]
    }()

    @Test("Every participant answers what a list shows as the events themselves do")
    func answers() async throws {
        let directory = try WorkDirectory(in: nil)
        defer { directory.remove() }
        #expect(ListsCommand.participants.count == 5)
        for type in ListsCommand.participants {
            let own = try directory.made(type.name)
            var samples: [Sample] = []
            for step in type.listSteps {
                let job = Job(work: .events(count: Self.count), participant: type.name, directory: own.path, steps: [step.rawValue])
                try await Measurement { samples.append($0) }.run(job)
            }
            #expect(samples.map(\.step) == (type.listSteps + [.slowestPages]).map(\.rawValue))
            for sample in samples {
                #expect(sample.failure == nil, "\(type.name), \(sample.step)")
                let step = try #require(EventStep(rawValue: sample.step))
                #expect(sample.answer == Self.expected[step], "\(type.name), \(sample.step)")
            }
        }
    }

    @Test("A percentile is the time that so many pages take at most")
    func percentile() {
        let pages = PagesBesideWriter(pages: (1...200).map(Double.init).shuffled())
        #expect(pages.percentile(99) == 199)
        #expect(PagesBesideWriter(pages: [3]).percentile(99) == 3)
    }
}
