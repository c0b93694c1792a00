import Foundation
import Strata
import StrataCoordinator
import StrataCrashWorker
import StrataFiles
import StrataTestRandom
import StrataTestSupport
import Testing

@Suite("Eight writers killed while all their stores are backed up", .timeLimit(.minutes(60)))
struct BackupWritersTests {
    /// The highest numbers of the writers in some lines of a worker.
    private func numbers(_ kind: String, _ lines: some Sequence<String>) -> [Int] {
        var found = Array(repeating: 0, count: BackupWriters.count)
        for line in lines {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == kind, let writer = Int(words[1]), let number = Int(words[2]) { found[writer] = number }
        }
        return found
    }

    /// The numbers of each writer in each store, which have no gaps.
    private func stored(_ directory: String, _ story: String) throws -> [[Int]] {
        let coordinator = PersistentStoreCoordinator(model: try BackupWriters.model.get())
        defer { for store in coordinator.stores { try? coordinator.remove(store) } }
        for description in BackupWriters.descriptions(in: directory) { try coordinator.addStore(description) }
        for store in coordinator.stores { #expect(try coordinator.verify(store).map(\.description) == [], "\(story)") }
        let context = ManagedObjectContext(coordinator)
        return try BackupWriters.kinds.map { kind in
            var found = Array(repeating: Set<Int>(), count: BackupWriters.count)
            for note in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Note_\(kind.name)")) {
                let (writer, number) = try (#require(note.value(forKey: "writer") as? Int), #require(note.value(forKey: "number") as? Int))
                #expect(found[writer].insert(number).inserted, "\(story): \(number) of \(writer) twice")
            }
            for numbers in found { #expect(numbers == Set(1..<numbers.count + 1), "\(story): a save is missing") }
            return found.map(\.count)
        }
    }

    @Test(
        "A backup has what was acknowledged before it began and nothing that began after it ended, in all stores, and restores it elsewhere"
    )
    func kills() throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let directory = try TemporaryDirectory("strata-writers")
        let target = directory.file("backup")
        var before = Array(repeating: 0, count: BackupWriters.count)
        for round in 1...RunSeed.trials(2, soak: 40) {
            let story = "seed=\(RunSeed.value) round=\(round)"
            let worker = try Worker(["sqlite", directory.path, "0", "writers", "0"])
            try worker.wait(for: "backed", count: Int.random(in: 1...2, using: &random))
            usleep(UInt32.random(in: 0...300_000, using: &random))
            worker.kill()
            let lines = worker.lines
            // The backup that is there is the last that was reported, or the one after it, which was killed as it ended.
            let backup = try StoreBackup(at: target)
            try backup.check()
            let end = lines.firstIndex { $0 == "backed \(backup.id)" }
            let begin = try #require(lines[..<(end ?? lines.count)].lastIndex { $0 == "backing" }, "\(story)")
            let acknowledged = zip(before, numbers("saved", lines[..<begin])).map { max($0, $1) }
            let begun = zip(before, numbers("began", lines[..<(end ?? lines.count)])).map { max($0, $1) }
            let elsewhere = try TemporaryDirectory("strata-restored")
            try PersistentStoreCoordinator(model: BackupWriters.model.get()).restore(
                from: target, to: BackupWriters.descriptions(in: elsewhere.path))
            let restored = try stored(elsewhere.path, story)
            #expect(Set(restored).count == 1, "\(story): a save is in some stores only: \(restored)")
            for (writer, count) in restored[0].enumerated() {
                #expect(count >= acknowledged[writer], "\(story): of writer \(writer)")
                #expect(count <= begun[writer], "\(story): of writer \(writer)")
            }
            // The stores themselves: nothing acknowledged is missing.
            let originals = try stored(directory.path, story)
            #expect(Set(originals).count == 1, "\(story): \(originals)")
            for (writer, count) in originals[0].enumerated() {
                #expect(count >= max(before[writer], numbers("saved", lines)[writer]), "\(story): of writer \(writer)")
            }
            before = originals[0]
        }
    }
}
