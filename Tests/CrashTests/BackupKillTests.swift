import Foundation
import Strata
import StrataCoordinator
import StrataCrashWorker
import StrataFiles
import StrataTestRandom
import Testing

@Suite("A worker killed while it backs its stores up", .timeLimit(.minutes(60)))
struct BackupKillTests {
    @Test("leaves the last finished backup whole, with every save that was acknowledged before it", arguments: CrashMode.allCases)
    func randomKills(_ mode: CrashMode) throws {
        let site = try CrashSite(mode)
        var random = SeededGenerator(seed: RunSeed.value)
        var (backed, saved) = (0, 0)
        for round in 1...RunSeed.trials(4, soak: 60) {
            let story = "seed=\(RunSeed.value) mode=\(mode) round=\(round)"
            let worker = try Worker([mode.rawValue, site.directory, "\(Int.random(in: 0..<1000, using: &random))", "backup", "0"])
            try worker.wait(for: "backed", count: Int.random(in: 1...2, using: &random))
            usleep(UInt32.random(in: 0...80_000, using: &random))
            worker.kill()
            backed = max(backed, worker.last("backed") ?? 0)
            saved = max(saved, worker.acknowledged ?? 0)
            do {
                #expect(try site.verifiedGeneration(order: round % 6) >= saved, "\(story)")
                let found = try site.backedUpGeneration()
                #expect(found >= backed, "\(story)")
                #expect(found <= saved + 1, "\(story)")
            } catch {
                Issue.record(error, "\(story)")
                return
            }
        }
        // The next backup removes what the killed ones left.
        _ = try site.withContext { context in
            try #require(context.coordinator as? PersistentStoreCoordinator).backUp(to: site.backup)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.backup).filter { !$0.hasPrefix(".") }.count == 2)
        #expect(try site.backedUpGeneration() == site.verifiedGeneration())
    }

    @Test("leaves no manifest of a part, at whichever step of the first backup it is killed")
    func firstBackup() throws {
        let before = try CrashSite(.trio)
        try before.save(upTo: 2)
        var (step, hasFinished) = (1, false)
        while !hasFinished {
            let site = try CrashSite(copying: before)
            let worker = try Worker(["trio", site.directory, "0", "backup", "\(step)"])
            try worker.waitForEnd()
            let isThere = FileManager.default.fileExists(atPath: PathName.joining(site.backup, "backup.json"))
            if isThere { #expect(try site.backedUpGeneration() >= 2, "step \(step)") }
            hasFinished = worker.lines.contains { $0.hasPrefix("done ") }
            if hasFinished { #expect(isThere) }
            step += 1
        }
        #expect(step > 6)
    }
}

extension Worker {
    /// The number in the last line of a kind.
    func last(_ prefix: String) -> Int? { lines.last { $0.hasPrefix(prefix + " ") }.flatMap { Int($0.dropFirst(prefix.count + 1)) } }
}

extension CrashSite {
    /// The directory of backups.
    var backup: String { PathName.joining(directory, "backup") }

    /// Opens the copies of the last finished backup and checks everything in them.
    ///
    /// - Returns: The generation found.
    func backedUpGeneration() throws -> Int {
        let backup = try StoreBackup(at: backup)
        try backup.check()
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        defer { for store in coordinator.stores { try? coordinator.remove(store) } }
        for var description in mode.descriptions(in: directory) {
            let copy = try #require(backup.stores.first { $0.originalPath.hasSuffix(description.path?.dropFirst(directory.count) ?? "") })
            description.path = copy.path
            description.isReadOnly = true
            try coordinator.addStore(description)
        }
        return try GraphReader(ManagedObjectContext(coordinator)).verifiedGeneration()
    }
}
