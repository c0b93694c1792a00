import Dispatch
import StrataCrashWorker
import StrataTestRandom
import Synchronization
import Testing

extension Reliability {
    /// Finds what a migration loses that fails, or ends, at any of its calls to the system.
    @Suite("A migration that is disturbed", .enabled(if: FaultShim.path != nil, "no compiler makes the preloaded library"))
    struct DisturbedMigrationTests {
        /// What is there before: three generations.
        static let before = 3

        @Test(
            "leaves the store as it was or brings it to the new version, whole", arguments: CrashMode.allCases,
            [LedgerVersion.altered, .united, .led])
        func faults(_ mode: CrashMode, _ version: LedgerVersion) throws {
            var random = Effort.random("migration faults \(mode) \(version)")
            let base = try LedgerDirectory(mode)
            let report = try WorkerClient().run("ledger", base.arguments("\(Self.before)"))
            #expect(report.has("saved \(Self.before)"), "\(report.lines)")
            let calls = try CallList(in: try LedgerDirectory(copying: base, options: [version.rawValue]), generations: Self.before + 1)
            let count = Effort.count(mode.isFederated ? 5 : 7, soak: .max)
            let cases = calls.classes.indices.shuffled(using: &random).prefix(count).compactMap { index in
                DisturbedMigration(base: base, version: version, calls, at: index, &random)
            }
            #expect(cases.count > 2)
            tryEach("faults in the migration of \(mode) to \(version)", Array(cases)) { try $1.violations($0) }
        }
    }
}

extension Reliability.DisturbedMigrationTests {
    // One that came late took the files of large values that the first had just written for leftovers, and removed them.
    @Test("is done once where several processes open the store at once", arguments: CrashMode.allCases)
    func atOnce(_ mode: CrashMode) throws {
        let base = try LedgerDirectory(mode)
        _ = try WorkerClient().run("ledger", base.arguments("\(Self.before)"))
        for version in [LedgerVersion.altered, .united, .led] {
            for round in 0..<Effort.count(2, soak: 200) {
                let directory = try LedgerDirectory(copying: base, options: [version.rawValue])
                let reports = Mutex<[WorkerReport]>([])
                DispatchQueue.concurrentPerform(iterations: 3) { worker in
                    let arguments = directory.arguments(order: (round + worker) % CrashMode.orders.count, "\(Self.before)")
                    guard let report = try? WorkerClient().run("ledger", arguments) else { return }
                    reports.withLock { $0.append(report) }
                }
                let opened = reports.withLock { $0.filter { $0.has("open \(Self.before)") }.count }
                #expect(opened == 3, "\(reports.withLock { $0.map(\.lines) })")
                let report = try WorkerClient().run("verify", directory.arguments())
                #expect(report.has("found \(Self.before)"), "\(report.lines)")
                #expect(report.has("sound"), "\(report.lines)")
            }
        }
    }
}

/// A session that begins with a migration and is disturbed, another one where it ended early, then a look at it all.
private struct DisturbedMigration: Sendable, CustomStringConvertible {
    let base: LedgerDirectory
    let version: LedgerVersion
    let order: Int
    let plans: [FaultPlan]

    var description: String { "\(base.mode) to \(version) order=\(order) \(plans.map { "[\($0)]" }.joined(separator: " then "))" }

    init?(base: LedgerDirectory, version: LedgerVersion, _ calls: CallList, at index: Int, _ random: inout SeededGenerator) {
        guard let plan = calls.randomPlan(at: index, &random) else { return nil }
        self.base = base
        self.version = version
        order = base.mode.isFederated ? Int.random(in: CrashMode.orders, using: &random) : 0
        plans = [plan] + (plan.kind.ends && Bool.random(using: &random) ? calls.randomPlan(&random).map { [$0] } ?? [] : [])
    }

    func violations(_ client: WorkerClient) throws -> [String] {
        let directory = try LedgerDirectory(copying: base, options: [version.rawValue])
        let last = Reliability.DisturbedMigrationTests.before + 1
        var check = SessionCheck(acknowledged: last - 1)
        var told: [String] = []
        for plan in plans {
            let report = try client.run("ledger", directory.arguments(order: order, "\(last)"), plan: plan.text(directory.path))
            check.note(report, plan)
            told += report.lines.filter { $0.hasPrefix("injected") }
        }
        check.conclude(try client.run("verify", directory.arguments(order: (order + 1) % CrashMode.orders.count)))
        return check.violations.isEmpty ? [] : told + check.violations
    }
}
