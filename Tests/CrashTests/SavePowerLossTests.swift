import CrashWorker
import Foundation
import Strata
import StrataFiles
import TestRandom
import Testing

/// A decision that is seen may be lost with the power where its writer met an error: nothing may follow from it before it was written anew.
@Suite("A save over several stores, errors, and then a loss of power")
struct SavePowerLossTests {
    @Test("leave it in all stores or in none, whatever was on disk", arguments: [1, 2, 6, Int.max])
    func powerLoss(_ burst: Int) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let isSoak = ProcessInfo.processInfo.environment["STRATA_SOAK"] != nil
        let end = ContinuousClock.now + (isSoak ? .seconds(600) : .seconds(4))
        var trials = 0
        while ContinuousClock.now < end {
            let call = Int.random(in: 1...130, using: &random)
            let fault: FaultPlan.Fault = Bool.random(using: &random) ? .error(5) : .errorAfterEffect(5)
            let story = "seed=\(RunSeed.value) burst \(burst) call \(call) \(fault)"
            do { try trial(call, burst, fault, story, &random) } catch { Issue.record(error, "\(story)") }
            trials += 1
        }
        #expect(trials > 20)
    }

    private func trial(_ call: Int, _ burst: Int, _ fault: FaultPlan.Fault, _ story: String, _ random: inout SeededGenerator) throws {
        var memory = MemoryFileSystem(directories: ["/stores"])
        func ledger(_ files: any FileSystem) -> Ledger { Ledger(directory: "/stores", kinds: [.binary, .xml], files: files) }
        try ledger(memory).open { try ledger(memory).set(1, $0) }
        let faulty = FaultInjectingFileSystem(base: memory)
        var plan = FaultPlan(failing: call, with: fault, isSticky: burst == .max)
        plan.burst = burst
        let isSaved = try ledger(faulty).open { context in
            defer { faulty.plan = .none }
            faulty.plan = plan
            do { try ledger(faulty).set(2, context) } catch is StoreError { return false }
            return true
        }
        // Some are opened before the power goes, some after it, some only half-way.
        var allowed: Set<Int> = isSaved ? [2] : [1, 2]
        for round in 1...3 {
            if Bool.random(using: &random) {
                let files = FaultInjectingFileSystem(base: memory)
                if Bool.random(using: &random) { files.plan = FaultPlan(failing: Int.random(in: 1...60, using: &random), with: fault) }
                let order: [Ledger.Kind] = Bool.random(using: &random) ? [.binary, .xml] : [.xml, .binary]
                let found = try? ledger(files).amounts(order)
                if let found {
                    #expect(Set(found).count == 1 && allowed.isSuperset(of: found), "\(story) round \(round): \(found), not \(allowed)")
                    allowed.formIntersection(found)
                }
            }
            memory = memory.crashClone(keepingUnsynced: [0, 0.5, 1][Int.random(in: 0..<3, using: &random)], seed: random.next())
        }
        let found = try ledger(memory).amounts(Bool.random(using: &random) ? [.binary, .xml] : [.xml, .binary])
        #expect(Set(found).count == 1 && allowed.isSuperset(of: found), "\(story): \(found), not \(allowed)")
    }
}
