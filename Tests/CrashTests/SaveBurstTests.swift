import CrashWorker
import Foundation
import Strata
import StrataFiles
import TestRandom
import TestSupport
import Testing

/// Two syncs in a row that failed made a save over several stores be half there: the store that commits first took the decision back, was
/// not sure of it, and the others went on.
@Suite("A save over several stores during which errors come in bursts")
struct SaveBurstTests {
    private static let bursts = [1, 2, 6, Int.max]

    @Test("is in all stores or in none, and reopening finishes it", arguments: Ledger.Kind.allCases)
    func bursts(_ home: Ledger.Kind) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let template = try ledger(home: home)
        let last = try rehearsedCalls(template)
        #expect(last > 60)
        var trials = (1...last).flatMap { call in
            SaveBurstTests.bursts.flatMap { burst in [FaultPlan.Fault.error(5), .errorAfterEffect(5)].map { (call, burst, $0) } }
        }
        trials.shuffle(using: &random)
        // All of them where there is time for it.
        let isSoak = ProcessInfo.processInfo.environment["STRATA_SOAK"] != nil
        let end = ContinuousClock.now + (isSoak ? .seconds(3600) : .seconds(7))
        for (call, burst, fault) in trials where ContinuousClock.now < end {
            let story = "seed=\(RunSeed.value) home=\(home) call \(call) burst \(burst) \(fault)"
            do { try trial(template, call, burst, fault, story, &random) } catch { Issue.record(error, "\(story)") }
        }
    }

    private func trial(
        _ template: Ledger, _ call: Int, _ burst: Int, _ fault: FaultPlan.Fault, _ story: String, _ random: inout SeededGenerator
    ) throws {
        let directory = try TemporaryDirectory("strata-burst")
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: template.directory, toPath: directory.path)
        let plain = Ledger(directory: directory.path, kinds: template.kinds)
        let (faulty, files) = plain.withFaults()
        var plan = FaultPlan(failing: call, with: fault, isSticky: burst == .max)
        plan.burst = burst
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
    private func rehearsedCalls(_ template: Ledger) throws -> Int {
        let (rehearsal, files) = template.withFaults()
        return try rehearsal.open { context in
            files.plan = .none
            files.plan.operations = Set(FileOperation.allCases)
            try rehearsal.set(1, context)
            return files.callCount
        }
    }

    /// Stores with an amount of 1, of which one of a kind is the home.
    private func ledger(home: Ledger.Kind) throws -> Ledger {
        while true {
            let directory = try TemporaryDirectory("strata-burst")
            let ledger = Ledger(directory: directory.path, kinds: Ledger.Kind.allCases)
            try ledger.open { try ledger.set(1, $0) }
            if try ledger.inOrderOfCommits().first == home {
                // The directory goes with the test's process.
                _ = Unmanaged.passRetained(directory)
                return ledger
            }
        }
    }
}

extension Ledger {
    /// The same stores over files that can be made to fail; a step of SQLite and LMDB counts as a call too.
    func withFaults() -> (Ledger, FaultInjectingFileSystem) {
        let faulty = FaultInjectingFileSystem(base: PosixFileSystem.shared)
        var ledger = self
        ledger.files = faulty
        ledger.step = { step in
            // What is asked does not matter: the call is counted, and fails where it is due.
            do { _ = try faulty.linkDestination(of: "/") } catch {
                let isOver = step.hasPrefix("committed")
                throw StoreError(.io, "save", "\(step) fails", underlying: error, recovery: isOver ? .reopen : .permanent)
            }
        }
        return (ledger, faulty)
    }
}
