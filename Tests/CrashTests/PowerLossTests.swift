import Foundation
import StrataFiles
import StrataFilesTesting
import StrataStore
import StrataTestRandom
import Testing

/// What a process sees of a decision, or of a store's own file, may be lost with the power where its writer met an error: one store followed
/// what it saw, and the other was without it afterwards.
@Suite("A save over several stores in which calls fail, before the power does")
struct PowerLossTests {
    private struct Trial {
        let call: Int
        let burst: Int
        /// The store that somebody opens before the power fails.
        let opened: Accounts.Kind?
        /// How much of what was not synchronized survives.
        let kept: Double
        let seed: UInt64
    }

    private static let kinds: [Accounts.Kind] = [.binary, .xml]

    @Test(
        "is in all stores or in none, also where one of them was opened in between", arguments: PowerLossTests.kinds,
        [FaultPlan.Fault.error(5), .errorAfterEffect(5)])
    func lossAfterFaults(_ home: Accounts.Kind, _ fault: FaultPlan.Fault) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let template = try template(home: home)
        let calls = try callsOfASave(template)
        let first = try #require(calls.firstIndex { $0.path.contains(".record") }) + 1
        var trials: [Trial] = []
        for call in first...calls.count {
            for burst in [1, 2, 4, Int.max] {
                for opened in [nil] + PowerLossTests.kinds.map(Optional.some) {
                    for kept in [0, 0.5] {
                        let seed = UInt64.random(in: 0...999, using: &random)
                        trials.append(Trial(call: call, burst: burst, opened: opened, kept: kept, seed: seed))
                    }
                }
            }
        }
        // A disk that fails for good leaves most in doubt: all of these, and some of the others.
        func isAlwaysRun(_ trial: Trial) -> Bool { trial.burst == .max && trial.opened != nil && trial.kept == 0 }
        let others = trials.filter { !isAlwaysRun($0) }.shuffled(using: &random)
        trials = trials.filter(isAlwaysRun) + (RunSeed.isSoak ? others : Array(others.prefix(20)))
        for trial in trials {
            let story = "seed=\(RunSeed.value) home=\(home) \(fault) \(trial)"
            do { try run(trial, fault, template, home, story) } catch { Issue.record(error, "\(story)") }
        }
    }

    private func run(
        _ trial: Trial, _ fault: FaultPlan.Fault, _ template: MemoryFileSystem, _ home: Accounts.Kind, _ story: String
    ) throws {
        let disk = template.crashClone()
        let files = FaultInjectingFileSystem(base: disk)
        let faulty = accounts(files)
        var plan = FaultPlan(failing: trial.call, with: fault, isSticky: trial.burst == .max)
        plan.burst = trial.burst
        let isSaved = try faulty.open { context in
            defer { files.plan = .none }
            files.plan = plan
            do { try faulty.set(2, context) } catch is StoreError { return false }
            return true
        }
        if let opened = trial.opened { try accounts(disk).open([opened]) { _ in } }
        let left = accounts(disk.crashClone(keepingUnsynced: trial.kept, seed: trial.seed))
        let found = try left.amounts(trial.seed % 2 == 0 ? left.kinds : left.kinds.reversed())
        #expect(Set(found).count == 1, "\(story): \(found), saved \(isSaved)")
        #expect(found.allSatisfy { $0 == 2 || (!isSaved && $0 == 1) }, "\(story): \(found), saved \(isSaved)")
        try left.open { try left.set(3, $0) }
        #expect(try left.amounts() == [3, 3], "\(story)")
        #expect(try left.leftovers() == [], "\(story)")
    }

    private func accounts(_ files: any FileSystem) -> Accounts {
        var accounts = Accounts(directory: "/stores", kinds: PowerLossTests.kinds)
        // Whoever forces a directory to disk forces all of its names.
        accounts.isScattered = true
        accounts.files = files
        return accounts
    }

    /// Stores with an amount of 1, of which one of a kind is the home.
    private func template(home: Accounts.Kind) throws -> MemoryFileSystem {
        while true {
            let disk = MemoryFileSystem(directories: PowerLossTests.kinds.map { "/stores/\($0)" })
            let accounts = accounts(disk)
            try accounts.open { try accounts.set(1, $0) }
            if try accounts.inOrderOfCommits().first == home { return disk.crashClone() }
        }
    }

    private func callsOfASave(_ template: MemoryFileSystem) throws -> [FaultInjectingFileSystem.Call] {
        let files = FaultInjectingFileSystem(base: template.crashClone())
        let rehearsal = accounts(files)
        return try rehearsal.open { context in
            files.clearTrace()
            try rehearsal.set(2, context)
            return files.trace
        }
    }
}
