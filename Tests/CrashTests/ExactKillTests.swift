import Foundation
import Strata
import StrataCrashWorker
import StrataFiles
import StrataTestRandom
import StrataTestSupport
import Testing

@Suite("A worker killed at a certain step", .timeLimit(.minutes(60)))
struct ExactKillTests {
    @Test("of a save leaves it whole or not there, and nothing behind", arguments: CrashMode.allCases)
    func killsDuringSave(_ mode: CrashMode) throws {
        let before = try site(mode)
        var outcomes: [(step: String, isThere: Bool)] = []
        while let (site, step) = try kill(before, "save", at: outcomes.count + 1) {
            var found: Set<Int> = []
            // The order of opening matters only while there are files of the save, and the same ones are there for several steps.
            let hasFiles = try !site.leftovers().isEmpty
            for order in orders(at: outcomes.count, mode.isFederated && hasFiles) {
                let copy = try CrashSite(copying: site)
                do { found.insert(try copy.verifiedGeneration(order: order)) } catch {
                    Issue.record(error, "mode=\(mode) step \(outcomes.count + 1): \(step), order \(order)")
                }
            }
            #expect(found.isSubset(of: [generation, generation + 1]), "mode=\(mode) \(step): \(found)")
            #expect(found.count == 1, "mode=\(mode) \(step): \(found)")
            if outcomes.count % 4 == 0 { try site.save(upTo: generation + 2) }
            outcomes.append((step, found == [generation + 1]))
        }
        // The save takes effect at one step and is not undone.
        let decision = outcomes.lastIndex { !$0.isThere } ?? 0
        #expect(outcomes[...decision].allSatisfy { !$0.isThere })
        #expect(outcomes.count > decision + 1)
        let step = outcomes[decision].step
        let deciding = mode.isFederated || mode == .xml ? "rename" : mode == .binary ? "write" : "commit"
        #expect(step.hasPrefix(deciding), "\(step)")
        #expect(step.hasSuffix(".pending") == mode.isFederated, "\(step)")
    }

    @Test("of finishing an interrupted save finishes it all the same", arguments: [CrashMode.trio, .scattered], [true, false])
    func killsDuringRecovery(_ mode: CrashMode, isDecided: Bool) throws {
        let before = try interrupted(mode, isDecided: isDecided)
        var step = 1
        while let (site, name) = try kill(before, "open", at: step, seed: step) {
            do {
                #expect(try site.verifiedGeneration(order: (step + 1) % 6) == (isDecided ? generation + 1 : generation), "\(mode) \(name)")
            } catch {
                Issue.record(error, "mode=\(mode) step \(step): \(name)")
            }
            step += 1
        }
        #expect(step > 6)
    }

    @Test("leaves a save that is finished where its stores were moved to", arguments: [CrashMode.trio, .scattered], [true, false])
    func moved(_ mode: CrashMode, isDecided: Bool) throws {
        let site = try CrashSite(copying: interrupted(mode, isDecided: isDecided))
        #expect(try site.verifiedGeneration() == (isDecided ? generation + 1 : generation))
    }

    @Test("leaves a save in doubt where its home store is missing, and everything as it was", arguments: [true, false])
    func homeMissing(isDecided: Bool) throws {
        // Where the stores were when the save was made there are none any more.
        let before = try CrashSite(copying: interrupted(.scattered, isDecided: isDecided))
        var inDoubt = 0
        for missing in CrashMode.scattered.paths {
            let site = try CrashSite(copying: before)
            let directory = PathName.parent(of: PathName.joining(site.directory, missing))
            try FileManager.default.moveItem(atPath: directory, toPath: directory + ".away")
            let pending = try pendingFiles(site)
            let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
            var errors: [StoreError.Code] = []
            for description in CrashMode.scattered.descriptions(in: site.directory) where description.path?.hasSuffix(missing) == false {
                do { try coordinator.addStore(description) } catch let error as StoreError { errors.append(error.code) }
            }
            for store in coordinator.stores { try coordinator.remove(store) }
            if errors.contains(.inDoubt) {
                #expect(errors == [.inDoubt, .inDoubt])
                #expect(try pendingFiles(site) == pending)
                inDoubt += 1
            } else {
                #expect(errors == [])
            }
            try FileManager.default.moveItem(atPath: directory + ".away", toPath: directory)
            #expect(try site.verifiedGeneration() == (isDecided ? generation + 1 : generation))
        }
        #expect(inDoubt == 1)
    }

    // MARK: -

    /// By the next save every kind of change has occurred.
    private let generation = 5

    /// The orders of opening that are tried after a step: half of them in a soak, else another one after each step.
    private func orders(at step: Int, _ orderMatters: Bool) -> [Int] {
        guard orderMatters else { return [step % 2] }
        return CrashMode.orders.filter { RunSeed.isSoak ? $0 % 2 == step % 2 : $0 == step % CrashMode.orders.count }
    }

    /// The stores as they are two saves before.
    private func site(_ mode: CrashMode) throws -> CrashSite {
        let site = try CrashSite(mode)
        try site.save(upTo: generation - 2)
        return site
    }

    /// A copy of the stores after a kill at a step; `nil` where there are fewer steps.
    private func kill(_ before: CrashSite, _ phase: String, at step: Int, seed: Int = 0) throws -> (CrashSite, String)? {
        let site = try CrashSite(copying: before)
        let worker = try Worker([site.mode.rawValue, site.directory, "\(seed)", phase, "\(step)"])
        try worker.waitForEnd()
        if let name = worker.lines.last(where: { $0.hasPrefix("step ") }) { return (site, String(name.dropFirst(5))) }
        // One run may take a step more, or less, than the one before. The seed is the order in which stores are opened: a home that comes last
        // synchronizes the directories of the others, before it removes its record and after.
        let steps = try #require(worker.lines.last.flatMap { $0.hasPrefix("done ") ? Int($0.dropFirst(5)) : nil })
        #expect(abs(steps - (step - 1)) <= (phase == "open" ? 4 : 1))
        return nil
    }

    /// The stores after a kill right before the decision or right after it.
    private func interrupted(_ mode: CrashMode, isDecided: Bool) throws -> CrashSite {
        let before = try site(mode)
        let copy = try CrashSite(copying: before)
        let rehearsal = try Worker([mode.rawValue, copy.directory, "0", "save", "\(Int.max)"])
        try rehearsal.waitForEnd()
        let steps = rehearsal.lines.filter { $0.hasPrefix("passed ") }
        let decision = steps.lastIndex { $0.hasPrefix("passed rename") && $0.hasSuffix(".pending") }
        if let decision, let (site, _) = try kill(before, "save", at: isDecided ? decision + 2 : decision + 1) { return site }
        throw Worker.Failure("the save has no such step")
    }

    private func pendingFiles(_ site: CrashSite) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: site.directory).filter { $0.hasSuffix(".pending") }.sorted()
    }
}
