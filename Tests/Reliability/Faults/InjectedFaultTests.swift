import Foundation
import StrataCrashWorker
import StrataPlatform
import StrataTestRandom
import Testing

extension Reliability {
    /// Finds what a failing system breaks: every call of a process to its files fails, is cut short, or is its last one, once or in a burst.
    ///
    /// The process makes stores, saves, reads, changes what it read without asking whether the reading worked, and opens the stores again.
    @Suite("A call to the system that fails", .enabled(if: FaultShim.path != nil, "no compiler makes the preloaded library"))
    struct InjectedFaultTests {
        @Test("loses no acknowledged save, tears none, and becomes no data", arguments: CrashMode.allCases)
        func faults(_ mode: CrashMode) throws {
            var random = Effort.random("faults \(mode)")
            let calls = try CallList(of: mode, generations: FaultCase.generations)
            #expect(calls.classes.count > 100)
            let cases: [FaultCase] =
                if Effort.isSoak {
                    calls.classes.indices.flatMap { index in
                        (0..<(mode.isFederated ? 3 : 8)).compactMap { _ in FaultCase(mode, calls, at: index, &random) }
                    }
                } else {
                    (0..<(mode.isFederated ? 12 : 18)).compactMap { _ in FaultCase(mode, calls, &random) }
                }
            tryEach("faults in \(mode)", cases) { try $1.violations($0) }
        }

        @Test(
            "with all that follow it, as on a disk that is full from a synchronization on, has no failed save take effect",
            arguments: CrashMode.allCases)
        func fullFromSync(_ mode: CrashMode) throws {
            // The commit lay in SQLite's log, which could not be cut either, and whoever opened the store next found it there: without its large
            // values, which had gone with the save that was reported as failed.
            let calls = try CallList(of: mode, generations: FaultCase.generations)
            var random = Effort.random("full disk \(mode)")
            let syncs = calls.classes.indices.filter { calls.classes[$0] == "sync" }.shuffled(using: &random)
            let cases = syncs.prefix(Effort.count(8, soak: .max)).map {
                FaultCase(mode, [calls.plan(at: $0, .fail(ENOSPC), count: 0, isWide: true)])
            }
            tryEach("a full disk in \(mode)", cases) { try $1.violations($0) }
        }
    }
}

/// One session that is disturbed, and what follows: another one that is disturbed too, where the first ended early; then a look at it all.
private struct FaultCase: Sendable, CustomStringConvertible {
    /// Enough for all that happens to an object, and for opening stores with content.
    static let generations = 4

    let mode: CrashMode
    let order: Int
    let plans: [FaultPlan]

    var description: String { "\(mode) order=\(order) \(plans.map { "[\($0)]" }.joined(separator: " then "))" }

    init?(_ mode: CrashMode, _ calls: CallList, at index: Int? = nil, _ random: inout SeededGenerator) {
        self.mode = mode
        order = mode.isFederated ? Int.random(in: CrashMode.orders, using: &random) : 0
        guard let first = index.map({ calls.randomPlan(at: $0, &random) }) ?? calls.randomPlan(&random) else { return nil }
        let isFollowed = first.kind.ends && Bool.random(using: &random)
        plans = [first] + (isFollowed ? calls.randomPlan(&random).map { [$0] } ?? [] : [])
    }

    init(_ mode: CrashMode, _ plans: [FaultPlan]) {
        (self.mode, self.plans, order) = (mode, plans, 0)
    }

    func violations(_ client: WorkerClient) throws -> [String] {
        let directory = try LedgerDirectory(mode)
        var check = SessionCheck()
        var told: [String] = []
        for plan in plans {
            let report = try client.run(
                "ledger", directory.arguments(order: order, "\(FaultCase.generations)"), plan: plan.text(directory.path))
            check.note(report, plan)
            told += report.lines.filter { $0.hasPrefix("injected") }
        }
        check.conclude(try client.run("verify", directory.arguments(order: (order + 1) % CrashMode.orders.count)))
        return check.violations.isEmpty ? [] : told + check.violations
    }
}
