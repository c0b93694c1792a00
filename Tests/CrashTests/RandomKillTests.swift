import Foundation
import StrataCrashWorker
import StrataTestRandom
import Testing

@Suite("A worker killed at random moments", .timeLimit(.minutes(60)))
struct RandomKillTests {
    @Test("leaves every acknowledged save whole, in all of its stores", arguments: CrashMode.allCases)
    func randomKills(_ mode: CrashMode) throws {
        let site = try CrashSite(mode)
        var random = SeededGenerator(seed: RunSeed.value)
        var last = 0
        for round in 1...(RunSeed.isSoak ? 100 : 8) {
            let story = "seed=\(RunSeed.value) mode=\(mode) round=\(round)"
            var acknowledged = last
            // Most rounds end in the midst of saves, some while the stores are opened, some in what follows an earlier kill.
            let isLate = round % 4 != 0
            if isLate {
                let worker = try Worker([mode.rawValue, site.directory, "\(Int.random(in: 0..<1000, using: &random))"])
                try worker.wait(for: "saved", count: Int.random(in: 1...2, using: &random))
                usleep(UInt32.random(in: 0...60_000, using: &random))
                worker.kill()
                acknowledged = max(acknowledged, worker.acknowledged ?? 0)
            }
            if !isLate || round % 3 == 0 {
                let worker = try Worker([mode.rawValue, site.directory, "\(Int.random(in: 0..<1000, using: &random))"])
                try worker.wait(for: "start")
                usleep(UInt32.random(in: 0...25_000, using: &random))
                worker.kill()
                acknowledged = max(acknowledged, worker.acknowledged ?? 0)
            }
            let found: Int
            do {
                found = try site.verifiedGeneration(order: round % 6)
                try site.save(upTo: found + 1)
            } catch {
                Issue.record(error, "\(story)")
                return
            }
            #expect(found >= acknowledged, "\(story) acknowledged=\(acknowledged)")
            #expect(found <= acknowledged + 1, "\(story) acknowledged=\(acknowledged)")
            last = found + 1
        }
        #expect(try site.verifiedGeneration() == last)
    }
}
