import StrataTestRandom
import StrataTestSupport
import Testing

/// Random undo walks over generated models, against an oracle that keeps the states between steps.
@Suite("Random undo and redo come to the recorded states", .timeLimit(.minutes(60 * 24)))
struct UndoWalkTests {
    private static let count = RunSeed.isSoak ? 20_000 : 80

    @Test("Undo and redo restore the recorded states, and saves store them", arguments: [TestStore.inMemory, .sqlite])
    func randomWalks(_ store: TestStore) throws {
        var failures = 0
        for number in 0..<Self.count where failures < 3 {
            let seed = RunSeed.value &* 1_000_003 &+ UInt64(number)
            guard let failed = try UndoWalkRun.failed(seed: seed, operations: number.isMultiple(of: 5) ? 80 : 30, store) else { continue }
            failures += 1
            let (walk, message) = UndoWalkRun.shrink(failed, store)
            Issue.record("\(store), seed \(seed): \(message)\n\(walk)")
        }
    }
}

/// Runs undo walks.
enum UndoWalkRun {
    /// Makes a walk, and does its operations.
    ///
    /// - Returns: The walk up to its failure; `nil` if it did not fail.
    static func failed(seed: UInt64, operations: Int, _ store: TestStore) throws -> UndoWalk? {
        var walk = UndoWalk(
            schema: Schema(undoSeed: seed), operations: [], comparesAlways: seed.isMultiple(of: 3),
            refreshesBeforeSteps: seed % 5 < 2, keepsObjects: !seed.isMultiple(of: 4))
        let directory = try TemporaryDirectory()
        let walker = try UndoWalker(walk, store.description(in: directory.path))
        var maker = UndoWalkMaker(seed: seed)
        do {
            while walk.operations.count < operations {
                let operation = maker.next(walker.graph)
                walk.operations.append(operation)
                try walker.take(operation)
            }
            try walker.finish()
            return nil
        } catch {
            return walk
        }
    }

    /// Does the operations of a walk again.
    ///
    /// - Returns: What failed.
    static func failure(_ walk: UndoWalk, _ store: TestStore) -> String? {
        do {
            let directory = try TemporaryDirectory()
            let walker = try UndoWalker(walk, store.description(in: directory.path))
            for operation in walk.operations { try walker.take(operation) }
            try walker.finish()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Removes operations, and then changes, from a walk for as long as it still fails.
    static func shrink(_ walk: UndoWalk, _ store: TestStore) -> (walk: UndoWalk, message: String) {
        var (walk, message) = (walk, failure(walk, store) ?? "fails only when it is made")
        func replace(_ shorter: UndoWalk) -> Bool {
            guard let found = failure(shorter, store) else { return false }
            (walk, message) = (shorter, found)
            return true
        }
        var size = max(1, walk.operations.count / 2)
        while size > 0 {
            var (start, isShorter) = (0, false)
            while start < walk.operations.count {
                var shorter = walk
                shorter.operations.removeSubrange(start..<min(start + size, walk.operations.count))
                if replace(shorter) { isShorter = true } else { start += size }
            }
            if size > 1 || !isShorter { size /= 2 }
        }
        for index in walk.operations.indices {
            var position = 0
            while position < walk.operations[index].changes.count {
                var shorter = walk
                shorter.operations[index].changes.remove(at: position)
                if !replace(shorter) { position += 1 }
            }
        }
        return (walk, message)
    }
}
