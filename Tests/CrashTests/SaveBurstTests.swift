import Foundation
import Strata
import StrataCrashWorker
import StrataFiles
import StrataFilesTesting
import StrataTestRandom
import StrataTestSupport
import Testing

/// Two syncs in a row that failed made a save over several stores be half there: the store that commits first took the decision back, was
/// not sure of it, and the others went on.
@Suite("A save over several stores during which errors come in bursts")
struct SaveBurstTests {
    private static let bursts = [1, 2, 6, Int.max]

    @Test("is in all stores or in none, and reopening finishes it", arguments: Accounts.Kind.allCases)
    func bursts(_ home: Accounts.Kind) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let template = try Accounts.holdingOne(home: home)
        let last = try rehearsedCalls(template)
        try #require(last > 60)
        var trials = (1...last).flatMap { call in
            SaveBurstTests.bursts.flatMap { burst in [FaultPlan.Fault.error(5), .errorAfterEffect(5)].map { (call, burst, $0) } }
        }
        trials.shuffle(using: &random)
        for (call, burst, fault) in trials.prefix(RunSeed.isSoak ? trials.count : 20) {
            let story = "seed=\(RunSeed.value) home=\(home) call \(call) burst \(burst) \(fault)"
            var plan = FaultPlan(failing: call, with: fault, isSticky: burst == .max)
            plan.burst = burst
            do { try trial(template, plan, story, &random) } catch { Issue.record(error, "\(story)") }
        }
    }

    /// The error of a look for older saves' files came as the file system's, which nobody expects of a save.
    @Test("fails with an error of the stores, whichever look at a file does", arguments: Accounts.Kind.allCases)
    func looks(_ home: Accounts.Kind) throws {
        let (faulty, files) = try Accounts.holdingOne(home: home).withFaults()
        var amount = 1
        try faulty.open { context in
            // Enough of them for a store to ask which of those it remembers are over.
            for _ in 0..<10 {
                amount += 1
                try faulty.set(amount, context)
            }
            var (call, isReached) = (0, true)
            while isReached {
                (call, amount) = (call + 1, amount + 1)
                files.plan = FaultPlan(failing: call, with: .error(24), operations: [.status])
                do { try faulty.set(amount, context) } catch let error as StoreError {
                    #expect(error.code == .io, "call \(call): \(error)")
                    #expect(error.recovery == .retryable, "call \(call): \(error)")
                }
                isReached = files.callCount >= call
                files.plan = .none
                try context.save()
            }
            #expect(call > 10)
        }
        #expect(try faulty.amounts() == faulty.kinds.map { _ in amount })
    }

    private func trial(_ template: Accounts, _ plan: FaultPlan, _ story: String, _ random: inout SeededGenerator) throws {
        let plain = try template.copied()
        let (faulty, files) = plain.withFaults()
        let isSaved = try faulty.open { context in
            defer { files.plan = .none }
            files.plan = plan
            do { try faulty.set(2, context) } catch is StoreError { return false }
            return true
        }
        let found = try plain.amounts(plain.kinds.shuffled(using: &random))
        #expect(Set(found).count == 1, "\(story): \(found)")
        #expect(found.allSatisfy { $0 == 2 || (!isSaved && $0 == 1) }, "\(story): \(found), saved \(isSaved)")
        try plain.open { try plain.set(3, $0) }
        #expect(try plain.amounts() == plain.kinds.map { _ in 3 }, "\(story)")
        #expect(try plain.leftovers() == [], "\(story)")
    }

    /// How many calls can fail.
    private func rehearsedCalls(_ template: Accounts) throws -> Int {
        let plain = try template.copied()
        let (rehearsal, files) = plain.withFaults()
        return try rehearsal.open { context in
            files.plan = .none
            try rehearsal.set(2, context)
            return files.callCount
        }
    }
}
