import Foundation
import StrataTestRandom
import StrataTestSupport
import Testing

/// Random walks over generated models, against an oracle of plain dictionaries.
@Suite("Random changes come to what plain dictionaries come to", .timeLimit(.minutes(60 * 24)))
struct WalkTests {
    private static let steps = 150

    /// The number of walks for each store: 150 in each run of the tests over all five.
    private static let walks = 30

    @Test("Every answer, error and dump of random walks is the oracle's", arguments: TestStore.allCases)
    func randomWalks(_ store: TestStore) throws {
        // Hours of a soak, for each store.
        let hours = ProcessInfo.processInfo.environment["STRATA_SOAK_HOURS"].flatMap(Double.init) ?? 0.5
        let end = ContinuousClock.now + .seconds(3600 * hours)
        let start = ContinuousClock.now
        var (number, saves, openSaves, failures) = (0, 0, 0, 0)
        while RunSeed.isSoak ? ContinuousClock.now < end : number < Self.walks {
            let seed = RunSeed.value &* 1_000_003 &+ UInt64(number * 5 + (TestStore.allCases.firstIndex(of: store) ?? 0))
            number += 1
            do {
                let (made, counts) = try WalkRun.make(seed: seed, steps: Self.steps, store)
                saves += counts.saves
                openSaves += counts.openSaves
                if let failed = made { failures += 1; WalkRun.report(failed, seed, store) }
            }
            if failures >= 3 { break }
        }
        print(
            "walks, \(store): \(number) in \(ContinuousClock.now - start), \(saves) saves, \(openSaves) of them open, seed=\(RunSeed.value)"
        )
        #expect(saves > number)
    }
}

/// Runs walks.
enum WalkRun {
    /// Goes on a walk that is made up on the way.
    ///
    /// - Returns: The walk where it failed, as far as it came.
    static func make(seed: UInt64, steps: Int, _ store: TestStore) throws -> (failed: Walk?, counts: (saves: Int, openSaves: Int)) {
        var walk = Walk(
            schema: Schema(seed: seed), operations: [], hasStranger: seed.isMultiple(of: 2), hasUndo: seed.isMultiple(of: 3))
        let directory = try TemporaryDirectory()
        var walker = try Walker(
            walk, store.description(in: directory.path), isPersistent: store.isPersistent, isThorough: false)
        var maker = WalkMaker(seed: seed)
        do {
            while walk.operations.count < steps {
                let operation = maker.next(walker.oracle, isPersistent: store.isPersistent)
                guard walker.canTake(operation) else { continue }
                walk.operations.append(operation)
                try walker.take(operation)
            }
            try walker.finish()
        } catch {
            return (walk, (walker.saves, walker.openSaves))
        }
        return (nil, (walker.saves, walker.openSaves))
    }

    /// Goes on a walk again.
    ///
    /// - Returns: What failed.
    static func failure(_ walk: Walk, _ store: TestStore) -> String? {
        do {
            let directory = try TemporaryDirectory()
            var walker = try Walker(walk, store.description(in: directory.path), isPersistent: store.isPersistent, isThorough: true)
            for operation in walk.operations { try walker.take(operation) }
            try walker.finish()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Shrinks a walk that failed, and says how to take it again.
    static func report(_ walk: Walk, _ seed: UInt64, _ store: TestStore) {
        guard let (shrunken, message) = Shrinker(failure: { failure($0, store) }).shrink(walk) else {
            Issue.record("\(store), seed \(seed): failed, and does not when everything is compared after each step")
            return
        }
        Issue.record("\(store), seed \(seed): \(message)\n\(text(shrunken))")
        // For whoever looks for the causes.
        guard let directory = ProcessInfo.processInfo.environment["STRATA_WALKS"] else { return }
        try? text(shrunken).write(toFile: "\(directory)/\(store)-\(seed).json", atomically: true, encoding: .utf8)
    }

    /// A walk as a regression keeps it: one step on a line.
    static func text(_ walk: Walk) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        func text(_ value: some Encodable) -> String { (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
        return """
            {"hasStranger": \(walk.hasStranger), "hasUndo": \(walk.hasUndo), "schema":
            \(text(walk.schema)),
            "operations": [
            \(walk.operations.map { text($0) }.joined(separator: ",\n"))
            ]}
            """
    }
}
