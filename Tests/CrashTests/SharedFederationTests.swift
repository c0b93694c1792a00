import Foundation
import Strata
import StrataCrashWorker
import StrataTestRandom
import StrataTestSupport
import Testing

/// A process went on saving to stores beside which another one's save lay unfinished: its changes no longer fitted, and the stores never
/// opened again.
@Suite("Two processes that save to the same stores, one of them killed", .timeLimit(.minutes(60)))
struct SharedFederationTests {
    @Test("keep every acknowledged save of both, whole")
    func killedBesideAnother() throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let site = try CrashSite(.trio)
        var acknowledged = [0, 0]
        for round in 1...20 {
            let story = "seed=\(RunSeed.value) round=\(round)"
            do {
                let workers = try [1, 2].map { try Worker(["trio", site.directory, "0", "share", "\($0)"]) }
                try workers[0].wait(for: "saved")
                try workers[1].wait(for: "saved")
                usleep(UInt32.random(in: 0...30_000, using: &random))
                let killed = Int.random(in: 0...1, using: &random)
                workers[killed].kill()
                let before = workers[1 - killed].lines.count
                try workers[1 - killed].wait(for: "saved", count: before + 2)
                workers[1 - killed].kill()
                for index in 0...1 { acknowledged[index] = max(acknowledged[index], workers[index].acknowledged ?? 0) }
                let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
                defer { for store in coordinator.stores { try? coordinator.remove(store) } }
                let descriptions = SharedFederation.descriptions(in: site.directory)
                for description in round % 2 == 0 ? descriptions : descriptions.reversed() { try coordinator.addStore(description) }
                for index in 0...1 {
                    let found = try SharedFederation.count(index + 1, ManagedObjectContext(coordinator))
                    #expect(found >= acknowledged[index], "\(story) process \(index + 1)")
                    #expect(found <= acknowledged[index] + 1, "\(story) process \(index + 1)")
                    acknowledged[index] = found
                }
                try HistoryReplay.verify(ManagedObjectContext(coordinator))
                #expect(try site.leftovers() == [], "\(story)")
            } catch {
                Issue.record(error, "\(story)")
                return
            }
        }
    }

    @Test("are recovered by the next writer, whichever store it is", arguments: ["save", "batch", "information", "references"])
    func writersFinish(_ kind: String) throws {
        // Killed before the last commit, of a store that several processes have open.
        var before = try CrashSite(.trio)
        var last = 0
        while true {
            try before.save(upTo: 3)
            let names = try rehearsedSteps(before)
            last = try #require(names.lastIndex { $0.hasPrefix("commit ") })
            if names[last] != "commit \(CrashMode.storeTypes[2])" { break }
            before = try CrashSite(.trio)
        }
        let site = try CrashSite(copying: before)
        try site.withContext { context in
            let worker = try Worker(["trio", site.directory, "0", "save", "\(last + 1)"])
            try worker.waitForEnd()
            #expect(try !site.leftovers().isEmpty)
            let coordinator = try #require(context.coordinator as? PersistentStoreCoordinator)
            // A store that is written whole and was replaced has to be opened again; the others must not need it.
            for (part, store) in zip(Part.allCases, coordinator.stores) where store.capabilities.allowsSeveralProcesses {
                let tag = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity, limit: 1)).first)
                switch kind {
                case "save":
                    if try tag.value(forKey: "generation") as? Int == 6 { continue }
                    // Built on what was before: a conflict, and no more than that.
                    try tag.setValue(-1, forKey: "generation")
                    #expect(throws: SaveConflictError.self) { try context.save() }
                    context.rollback()
                case "batch":
                    let none = BatchUpdateRequest(
                        entityName: part.tagEntity, key("generation") == .int(-1), set: ["generation": Value.int(0)])
                    _ = try coordinator.execute(none)
                case "information": try coordinator.setUserInfo(["written": .bool(true)], of: store)
                default: _ = try coordinator.obtainReferences([(tag.entity, store.id)])
                }
                let found = try ManagedObjectContext(coordinator).fetch(
                    ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity, limit: 1))
                #expect(try found.first?.value(forKey: "generation") as? Int == 6, "\(store.type)")
            }
        }
        #expect(try site.verifiedGeneration() == 6)
    }

    private func rehearsedSteps(_ before: CrashSite) throws -> [String] {
        let site = try CrashSite(copying: before)
        let worker = try Worker(["trio", site.directory, "0", "save", "\(Int.max)"])
        try worker.waitForEnd()
        return worker.lines.filter { $0.hasPrefix("passed ") }.map { String($0.dropFirst(7)) }
    }
}
