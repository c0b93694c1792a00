import ArgumentParser
import BenchReports
import Foundation
import Strata
import StrataSQLite
import StrataWorkload

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "Grouped sums of decimals, and groups by month, against GRDB's sums of integers over the same records.")

    @OptionGroup var events: EventOptions
    @OptionGroup var options: ReportOptions

    func run() async throws {
        let directory = try WorkDirectory(in: options.work)
        defer { directory.remove() }
        let records = EventWork(count: events.count).events()
        guard let peer = Registry.events.flatMap(\.participants).first(where: { $0.name == "GRDB" }) else { return }
        let integers = try peer.init(directory: directory.made("grdb").path)
        _ = try await integers.insert(records)
        let decimals = try DecimalReports(directory.made("strata").path, records)
        let reports: [(name: String, run: () async throws -> Int)] = [
            ("GRDB, integers by bucket", { try await integers.grouping().count }),
            ("Strata, integers by bucket", { try decimals.groups(by: ["bucket"], "rank") }),
            ("Strata, decimals by bucket", { try decimals.groups(by: ["bucket"], "amount") }),
            ("Strata, decimals by month", { try decimals.groups(by: [DecimalReports.month], "amount") }),
        ]
        var base: Double?
        for (name, run) in try options.chosen(reports, name: \.name) {
            var times: [Double] = []
            for _ in 0..<events.runs {
                let start = ProcessTime.seconds
                _ = try await run()
                times.append(ProcessTime.seconds - start)
            }
            times.sort()
            let median = times[times.count / 2]
            base = base ?? median
            print("\(name): \(String(format: "%.2f ms, %.2f×", median * 1000, median / (base ?? median)))")
        }
    }
}

/// Records with an amount of money each, in a store.
private final class DecimalReports {
    static let month = ExpressionDescription(
        name: "month", expression: .function(.month, [.keyPath("moment"), .constant(.string("Europe/Rome"))]))

    private let container: PersistentContainer

    init(_ directory: String, _ records: [Event]) throws {
        let model = try ManagedObjectModel {
            Entity("Event", class: ManagedObject.self) {
                for part in EventObject.attributes { part }
                Attribute("amount", .decimal).required
                Attribute("moment", .date).required
                FetchIndex("byRank", on: "rank")
            }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.sqlite, path: directory + "/events.sqlite")])
        var left = records[...]
        try ManagedObjectContext(container.coordinator).execute(
            BatchInsertRequest(entityName: "Event") { row in
                guard let event = left.popFirst() else { return true }
                row["id"] = .int(event.id)
                row["time"] = .double(event.time)
                row["title"] = .string(event.title)
                row["detail"] = .string(event.detail)
                row["address"] = .string(event.address)
                row["rank"] = .int(event.rank)
                row["bucket"] = .int(event.bucket)
                row["amount"] = .decimal(Decimal(event.rank) / 100)
                row["moment"] = .date(Date(timeIntervalSince1970: event.time))
                return false
            })
    }

    func groups(by keys: [ExpressionDescription], _ attribute: String) throws -> Int {
        try ManagedObjectContext(container.coordinator).fetchDictionaries(
            ObjectFetchRequest<ManagedObject>(entityName: "Event").grouped(by: keys, computing: [.count(), .sum(attribute)])
        ).count
    }
}
