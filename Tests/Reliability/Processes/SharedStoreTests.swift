import Foundation
import StrataCrashWorker
import StrataTestRandom
import StrataTestSupport
import Testing

extension Reliability {
    /// Finds what breaks between processes: some write to the same stores, one reads, each is killed at some moment, and the others go on.
    @Suite("Processes over the same stores")
    struct SharedStoreTests {
        @Test("lose no acknowledged save of any, whichever is killed while others go on", arguments: CrashMode.allCases)
        func kills(_ mode: CrashMode) throws {
            var random = Effort.random("processes \(mode)")
            let directory = try LedgerDirectory(mode)
            #expect(try WorkerClient().run("ledger", directory.arguments("1")).has("saved 1"))
            var acknowledged = [0, 0]
            var reads = 0
            let rounds = Effort.count(mode.isFederated ? 3 : 4, soak: 200)
            for round in 1...rounds {
                let story = "processes of \(mode), round \(round), RELIABILITY_SEED=\(RunSeed.value)"
                let writers = try (0..<2).map { try writer($0, directory, order: Int.random(in: CrashMode.orders, using: &random)) }
                let reader = try ChildProcess("StrataCrashWorker", ["once", "", "shared-read"] + directory.arguments("2"))
                for writer in writers { _ = try writer.nextLine() }
                usleep(.random(in: 20_000...150_000, using: &random))
                let victim = Int.random(in: 0..<2, using: &random)
                writers[victim].kill()
                usleep(.random(in: 0...120_000, using: &random))
                reader.kill()
                writers[1 - victim].kill()
                for (index, writer) in writers.enumerated() {
                    while let line = try writer.nextLine() {
                        if line.hasPrefix("saved "), let number = Int(line.dropFirst(6)) {
                            acknowledged[index] = max(acknowledged[index], number)
                        }
                        if line.hasPrefix("violation") { Issue.record("\(story): \(line)") }
                    }
                }
                while let line = try reader.nextLine() {
                    reads += 1
                    if line.hasPrefix("violation") { Issue.record("\(story): \(line)") }
                }
                let report = try WorkerClient().run("shared-verify", directory.arguments(order: round % CrashMode.orders.count, "2"))
                let counts = report.last("counts")?.split(separator: " ").compactMap { Int($0) } ?? []
                guard report.has("sound"), counts.count == 2 else {
                    Issue.record("\(story): acknowledged \(acknowledged): \(report.end) \(report.lines)")
                    break
                }
                for (count, acknowledged) in zip(counts, acknowledged) {
                    #expect(count == acknowledged || count == acknowledged + 1, "\(story): \(count) of \(acknowledged)")
                }
                acknowledged = counts
                if Effort.isSoak, round % 20 == 0 { print("processes of \(mode): round \(round) of \(rounds)") }
            }
            print("processes of \(mode): \(rounds * 3) killed, \(acknowledged) saves, \(reads) reads")
        }

        private func writer(_ number: Int, _ directory: LedgerDirectory, order: Int) throws -> ChildProcess {
            try ChildProcess("StrataCrashWorker", ["once", "", "shared-write"] + directory.arguments(order: order, "\(number)"))
        }
    }
}
